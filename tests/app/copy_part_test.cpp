// Partial files of a copy: files of others with such names are not touched, and only one copy writes each.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <span>

#include "app/copy/copy_receiver.h"
#include "core/base/error.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

void put(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string errorOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

class CopyPart : public ::testing::Test {
  protected:
    std::string file(const std::string& name) const { return folder_.file(name); }
    static std::string partName(const std::string& name) {
        return fmt::format(".{:016x}.verbcast-part", checksumOf(std::as_bytes(std::span(name))));
    }
    static CopyEntry entryOf(const std::string& name, CopyKind kind = CopyKind::File) {
        CopyEntry entry;
        entry.kind = kind;
        entry.path = name;
        entry.size = 10;
        entry.mode = 0644;
        return entry;
    }
    std::string open(const std::optional<PartFile::State>& kept = {}) const {
        return errorOf([&] { tree_.openPart(entryOf("file"), 0, kept); });
    }
    std::string look() const {
        return errorOf([&] { tree_.existingPart(entryOf("file")); });
    }

    TemporaryFolder folder_;
    const TargetTree tree_{folder_.path(), true};
};

TEST_F(CopyPart, AreNeverWrittenThroughWhatOthersPutThere) {
    const std::string part = file(partName("file"));
    put(file("precious"), "kept");
    const std::array<std::function<void()>, 4> traps{
        [&] { fs::create_symlink("precious", part); },
        [&] { fs::create_hard_link(file("precious"), part); },
        [&] { ASSERT_EQ(::mkfifo(part.c_str(), 0600), 0); },
        [&] { fs::create_directory(part); },
    };
    for (std::size_t trap = 0; trap < traps.size(); ++trap) {
        traps[trap]();
        for (const std::string& failure : {open(), look()}) {
            EXPECT_NE(failure.find("is in its place"), std::string::npos) << trap << ": " << failure;
        }
        fs::remove(part);
    }
    EXPECT_EQ(contentOf(file("precious")), "kept");
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"precious"});
}

TEST_F(CopyPart, AFolderIsNoLinkThatOthersMayHavePlaced) {
    fs::create_directory(file("real"));
    fs::create_directory(file("shared"));
    ASSERT_EQ(::chmod(file("shared").c_str(), 01777), 0);
    fs::create_symlink(file("real"), file("link"));
    fs::create_symlink(file("real"), file("shared/link"));
    for (const char* end : {"", "/"}) {
        EXPECT_EQ(errorOf([&] { TargetTree(file("link") + end, true); }), "") << "our own";
        EXPECT_NE(errorOf([&] { TargetTree(file("shared/link") + end, true); }).find("is in its place"),
                  std::string::npos);
    }
    EXPECT_EQ(errorOf([] { TargetTree("/", true); }), "");
    EXPECT_EQ(errorOf([] { TargetTree(".", true); }), "");
}

TEST_F(CopyPart, AListWithoutEndIsRefusedBeforeAnythingIsWritten) {
    KernelPipe records;
    ASSERT_GT(::fcntl(records.writing.get(), F_SETPIPE_SZ, 1 << 20), 1 << 18);
    CopyWriter writer(records.writing.get());
    for (int i = 0; i < 1000; ++i) {
        writer.write(entryOf("file" + std::to_string(i)));
    }
    records.writing.reset();
    const CopyReceiveOptions options{
        .target = folder_.path(), .intoFolder = true, .resume = false, .maxListBytes = 64 << 10};
    const std::string error = errorOf([&] { CopyReceiver(options, records.reading.get(), -1).run(); });
    EXPECT_TRUE(error.starts_with("the list of what is to be copied needs more than 64 KiB")) << error;
    EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(CopyPart, OfAnotherUserAreLeftAlone) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give a file away";
    }
    put(file(partName("file")), "");
    ASSERT_EQ(::chown(file(partName("file")).c_str(), 12345, 12345), 0);
    EXPECT_NE(open().find("another user's file is in its place"), std::string::npos);
}

TEST_F(CopyPart, BelongToOneCopyAtATime) {
    const CopyEntry entry = entryOf("file");
    PartFile first = tree_.openPart(entry, 0, {});
    ASSERT_EQ(::pwrite(first.descriptor(), "1234567890", 10, 0), 10);
    const std::string shown = "another process is writing " + file(partName("file"));
    EXPECT_EQ(open(), shown);
    EXPECT_EQ(look(), shown);
    // What a copy reports.
    const KernelPipe records, answers;
    CopyWriter writer(records.writing.get());
    const std::uint64_t start = 0;
    writer.write(entry);
    writer.write(CopyRecord::ListEnd);
    writer.write(CopyRecord::Begin, std::as_bytes(std::span(&start, 1)));
    EXPECT_EQ(
        errorOf([&] {
            CopyReceiver({folder_.path(), true, false}, records.reading.get(), answers.writing.get()).run();
        }),
        shown);
    tree_.finishPart(entry, first);
    EXPECT_EQ(contentOf(file("file")), "1234567890");
    EXPECT_EQ(open(), "");  // the finished file is no longer a part
    EXPECT_EQ(contentOf(file("file")), "1234567890");
}

TEST_F(CopyPart, AreNotResumedWhenAnotherCopyHasWrittenThem) {
    const std::string part = file(partName("file"));
    const auto stateNow = [&] { return tree_.existingPart(entryOf("file"))->state(); };
    const std::string shown = fmt::format("another copy wrote {} in the meantime", part);
    put(part, "12345");
    const PartFile::State before = stateNow();
    EXPECT_EQ(open(before), "");
    put(part, "123456");
    EXPECT_EQ(open(before), shown);
    const PartFile::State longer = stateNow();
    fs::rename(part, file("file"));
    EXPECT_EQ(open(longer), shown);
    EXPECT_EQ(contentOf(file("file")), "123456");
}

TEST_F(CopyPart, ALinkRemovesNothingButWhatItReplaces) {
    put(file("link"), "replaced");
    put(file(partName("link")), "of a file with that name, which another copy writes");
    CopyEntry entry = entryOf("link", CopyKind::Link);
    entry.target = "somewhere";
    tree_.makeLink(entry);
    EXPECT_EQ(fs::read_symlink(file("link")), "somewhere");
    EXPECT_NE(contentOf(file(partName("link"))), "");
    EXPECT_EQ(folder_.names().size(), 2U);
}

}  // namespace
}  // namespace verbcast::testing

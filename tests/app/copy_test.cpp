// The two ends of a copy against each other and against hostile peers.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <span>

#include "app/copy/copy_receiver.h"
#include "app/copy/copy_sender.h"
#include "core/pipe/pipe_messages.h"
#include "tests/app/copied_tree.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/noise.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

/// A pipe each way; the test acts as the sender or runs a CopySender.
class Copy : public ::testing::Test {
  protected:
    Copy() {
        fs::create_directory(here());
        fs::create_directory(there());
        ::signal(SIGPIPE, SIG_IGN);
    }
    std::string here(const std::string& name = "") const {
        return folder_.file("here") + (name.empty() ? "" : "/" + name);
    }
    std::string there(const std::string& name = "") const {
        return folder_.file("there") + (name.empty() ? "" : "/" + name);
    }

    /// Starts to receive; the result is the error message, or empty.
    void receive(bool resume = false, const std::string& target = "", bool intoFolder = true) {
        connect();
        received_ = std::async(std::launch::async, [=, this, input = std::move(receiverInput_),
                                                    output = std::move(receiverOutput_)]() mutable {
            std::string failure;
            try {
                CopyReceiver({target.empty() ? there() : target, intoFolder, resume}, input.get(),
                             output.get())
                    .run();
            } catch (const std::exception& error) {
                failure = error.what();
            }
            input.reset();
            output.reset();
            return failure;
        });
    }
    std::string result() {
        senderOutput_.reset();
        senderInput_.reset();
        return received_.get();
    }
    void send(CopySender& sender) { sender.run(senderInput_.get(), senderOutput_.get()); }
    CopyWriter writer() const { return CopyWriter(senderOutput_.get()); }
    CopyReader reader() const { return CopyReader(senderInput_.get()); }

    /// Sends a new receiver everything that precedes the bytes of its one file.
    CopyEntry begin(std::uint64_t size) {
        CopyEntry entry;
        entry.path = "file";
        entry.size = size;
        receive();
        writer().write(entry);
        writer().write(CopyRecord::ListEnd);
        EXPECT_EQ(reader().next(), CopyRecord::Answer);
        const std::uint64_t start = 0;
        writer().write(CopyRecord::Begin, std::as_bytes(std::span(&start, 1)));
        return entry;
    }

    TemporaryFolder folder_;
    UniqueFd senderInput_, senderOutput_;

  private:
    void connect() {
        KernelPipe there, back;
        receiverInput_ = std::move(there.reading);
        senderOutput_ = std::move(there.writing);
        senderInput_ = std::move(back.reading);
        receiverOutput_ = std::move(back.writing);
    }
    UniqueFd receiverInput_, receiverOutput_;
    std::future<std::string> received_;
};

TEST_F(Copy, ResumingReadsNoMoreOfASparsePartThanItsDataAreWorth) {
    constexpr std::uint64_t kSize = 8ULL << 30, kSecond = 20ULL << 20, kStale = 7ULL << 30;
    CopyEntry entry;
    entry.path = "file";
    entry.size = kSize;
    std::optional<PartFile> part(TargetTree(there(), true).openPart(entry, 0, std::nullopt));
    for (const std::uint64_t at : {std::uint64_t{0}, kSecond, kStale}) {
        ASSERT_EQ(::pwrite(part->descriptor(), "data", 4, static_cast<off_t>(at)), 4);
    }
    ASSERT_EQ(::ftruncate(part->descriptor(), kSize), 0);
    const Checksum sum = checksumOfStart(part->descriptor(), "", 64ULL << 20);
    part.reset();

    receive(true);
    writer().write(entry);
    writer().write(CopyRecord::ListEnd);
    CopyReader answers = reader();
    ASSERT_EQ(answers.next(), CopyRecord::Answer);
    const CopyAnswer answer = decodeCopyAnswer(answers.payload());
    EXPECT_GE(answer.start, 64ULL << 20) << "what its data are worth";
    EXPECT_LE(answer.start, 65ULL << 20);
    ASSERT_GT(answer.start, 0U);
    writer().write(CopyRecord::Begin, std::as_bytes(std::span(&answer.start, 1)));
    const std::uint64_t nothing = Checksum().value();  // the rest is a hole
    writer().write(CopyRecord::FileEnd, std::as_bytes(std::span(&nothing, 1)));
    writer().write(CopyRecord::End);
    EXPECT_EQ(result(), "");
    const UniqueFd whole(::open(there("file").c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(checksumOfStart(whole.get(), "", 64ULL << 20).value(), sum.value());
    EXPECT_EQ(statusOf(there("file")).st_size, kSize);
    std::array<char, 4> stale{};
    EXPECT_EQ(::pread(whole.get(), stale.data(), stale.size(), kStale), 4);
    EXPECT_EQ(stale, (std::array<char, 4>{})) << "what was kept behind the start must not come back";
}

TEST_F(Copy, KeepsEverything) {
    makeTree(here("tree"));
    receive();
    CopySender sender({here("tree")}, true);
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_EQ(sender.failures(), Arguments{});
    EXPECT_LT(statusOf(there("tree/holes")).st_blocks * 512, 1 << 20);
    expectEqualTrees(here(), there());
}

TEST_F(Copy, ASingleSourceMayGetAnotherName) {
    makeTree(here("tree"));
    receive(false, there("new name"), false);
    CopySender sender({here("tree/")}, true);
    send(sender);
    EXPECT_EQ(result(), "");
    expectEqualTrees(here("tree"), there("new name"));
}

TEST_F(Copy, WhatIsThereIsReplacedWholly) {
    writeFile(here("file"), "new");
    writeFile(there("file"), "an older one, and longer");
    fs::create_hard_link(there("file"), folder_.file("other name"));
    receive();
    CopySender sender({here("file")}, false);
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_EQ(contentOf(there("file")), "new");
    EXPECT_EQ(contentOf(folder_.file("other name")), "an older one, and longer");
}

TEST_F(Copy, WhatCannotBeReadIsLeftOutAndSaid) {
    for (const char* name : {"a", "gone", "changed", "z"}) {
        writeFile(here(name), name);
    }
    ASSERT_EQ(::mkfifo(here("fifo").c_str(), 0600), 0);
    CopySender sender({here()}, true);
    fs::remove(here("gone"));
    writeFile(here("changed"), "longer");
    receive();
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_EQ(sender.failures().size(), 3U) << ::testing::PrintToString(sender.failures());
    EXPECT_EQ(contentOf(there("here/a")), "a");
    EXPECT_EQ(contentOf(there("here/z")), "z");
    EXPECT_EQ(std::distance(fs::directory_iterator(there("here")), {}), 2);
}

TEST_F(Copy, GoesOnWhereItWasInterrupted) {
    const std::string content = noise(1U << 20);
    constexpr std::uint64_t kHad = 300'001;
    writeFile(here("done"), "done");
    writeFile(here("file"), content);
    const CopyEntry entry = begin(content.size());
    for (std::uint64_t at = 0; at < kHad; at += 100'000) {
        const auto piece =
            std::as_bytes(std::span(content)).subspan(at, std::min<std::uint64_t>(100'000, kHad - at));
        writer().write(CopyRecord::Data, std::as_bytes(std::span(&at, 1)), piece);
    }
    EXPECT_NE(result(), "");
    EXPECT_FALSE(fs::exists(there("file")));

    receive(true);
    writer().write(entry);
    writer().write(CopyRecord::ListEnd);
    CopyReader answers = reader();
    EXPECT_EQ(answers.next(), CopyRecord::Answer);
    const CopyAnswer answer = decodeCopyAnswer(answers.payload());
    EXPECT_EQ(answer.start, kHad);
    EXPECT_EQ(answer.checksum, checksumOf(std::as_bytes(std::span(content)).first(kHad)));
    EXPECT_NE(result(), "");

    for (const bool again : {false, true}) {
        SCOPED_TRACE(again);
        receive(true);
        CopySender sender({here("done"), here("file")}, false);
        const auto inode = again ? statusOf(there("file")).st_ino : 0;
        send(sender);
        EXPECT_EQ(result(), "");
        EXPECT_TRUE(contentOf(there("file")) == content);
        EXPECT_TRUE(!again || statusOf(there("file")).st_ino == inode) << "it was there already";
    }
    expectEqualTrees(here(), there());
}

TEST_F(Copy, AnInputThatHasChangedIsCopiedFromItsBeginning) {
    writeFile(here("file"), "what is right");
    begin(13);
    const std::uint64_t start = 0;
    writer().write(CopyRecord::Data, std::as_bytes(std::span(&start, 1)), std::as_bytes(std::span("wrong")));
    EXPECT_NE(result(), "");
    receive(true);
    CopySender sender({here("file")}, false);
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_EQ(contentOf(there("file")), "what is right");
}

TEST_F(Copy, AFullDiskIsSaidAndNothingIsNamed) {
    writeFile(here("file"), noise(1U << 20));
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{100'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    receive();
    CopySender sender({here("file")}, false);
    EXPECT_THROW(send(sender), PipeStopped);
    const std::string failure = result();
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(holds(failure, "there/file: File too large"));
    EXPECT_TRUE(holds(failure, "after 100000 bytes"));
    EXPECT_FALSE(fs::exists(there("file")));
}

TEST_F(Copy, NothingGetsOutOfTheTarget) {
    fs::create_directory(folder_.file("outside"));
    fs::create_directory_symlink(folder_.file("outside"), there("link"));
    fs::create_symlink(folder_.file("outside/made"), there("file"));
    for (const std::string& path :
         std::vector<std::string>{std::string("a\0b", 3), std::string(), std::string("/"), "/etc/made", "..",
                                  "../made", "a/../../made", "a/..", ".", "a//b", "a/", "./a"}) {
        SCOPED_TRACE(path);
        CopyEntry entry;
        entry.path = path;
        receive();
        writer().write(entry);
        EXPECT_TRUE(holds(result(), "is outside the target"));
    }
    for (const CopyKind kind : {CopyKind::Folder, CopyKind::File, CopyKind::Link}) {
        CopyEntry entry;
        entry.kind = kind;
        entry.path = "link/made";
        entry.target = "x";
        receive();
        writer().write(entry);
        writer().write(CopyRecord::ListEnd);
        if (kind == CopyKind::File) {
            EXPECT_EQ(reader().next(), CopyRecord::Answer);
            const std::uint64_t zero = 0;
            writer().write(CopyRecord::Begin, std::as_bytes(std::span(&zero, 1)));
        }
        EXPECT_TRUE(holds(result(), "link/made: Not a directory"));
    }
    EXPECT_TRUE(fs::is_empty(folder_.file("outside")));
    // A link in place of a file is replaced, not followed.
    writeFile(here("file"), "text");
    receive();
    CopySender sender({here("file")}, false);
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(there("file"))));
    EXPECT_TRUE(fs::is_empty(folder_.file("outside")));
}

TEST_F(Copy, RecordsThatMakeNoSense) {
    CopyEntry entry;
    entry.path = "file";
    entry.size = 10;
    const std::uint64_t places[]{0, 5, 11, ~0ULL};
    const auto place = [&](std::size_t i) { return std::as_bytes(std::span(&places[i], 1)); };
    const auto bytes = std::as_bytes(std::span("123456", 6));
    const auto expectRefusal = [&](const std::function<void(CopyWriter)>& rest) {
        receive();
        writer().write(entry);
        writer().write(CopyRecord::ListEnd);
        writer().write(CopyRecord::Begin, place(0));
        rest(writer());
        EXPECT_NE(result(), "");
        EXPECT_FALSE(fs::exists(there("file")));
    };
    expectRefusal([&](CopyWriter to) { to.write(CopyRecord::Data, place(1), bytes); });
    expectRefusal([&](CopyWriter to) { to.write(CopyRecord::Data, place(2), bytes); });
    expectRefusal([&](CopyWriter to) { to.write(CopyRecord::Data, place(3), bytes); });
    expectRefusal([&](CopyWriter to) { to.write(CopyRecord::Data, bytes); });
    expectRefusal([&](CopyWriter to) { to.write(CopyRecord::ListEnd); });
    expectRefusal([&](CopyWriter to) {  // with a wrong checksum
        to.write(CopyRecord::Data, place(0), bytes);
        to.write(CopyRecord::FileEnd, place(1));
    });
    receive();
    ASSERT_EQ(::write(senderOutput_.get(), "GET / HTTP/1.1\r\n\r\n", 18), 18);
    EXPECT_TRUE(holds(result(), "record of type"));
}

}  // namespace
}  // namespace verbcast::testing

#include "core/base/os/part_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

/// Expects a refusal that names what is in the place of the part.
void expectRefused(const TemporaryFolder& folder, const std::string& what) {
    const Error error =
        thrownBy([&] { PartFile::open(folderOf(folder.file("x")), "x.part", 0600, "x.part"); });
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_EQ(std::string(error.what()), "writing x.part: " + what + " is in its place");
}

TEST(PartFileTest, HasOneWriterFromItsFirstByteToItsFinalName) {
    const TemporaryFolder folder;
    const std::string path = folder.file("file");
    constexpr int kRounds = 300;
    std::atomic<int> finished{0};
    std::atomic<int> shared{0};
    const auto work = [&](char mark) {
        for (int round = 0; round < kRounds; ++round) {
            try {
                PartFile part = PartFile::open(folderOf(path), "file.part", 0600, path + ".part");
                // A finished file is never reopened as a part: every part starts empty.
                shared += ::lseek(part.descriptor(), 0, SEEK_END) == 0 ? 0 : 1;
                const std::string text(1000, mark);
                shared += ::pwrite(part.descriptor(), text.data(), text.size(), 0) == 1000 ? 0 : 1;
                finished += part.rename("file") == 0 ? 1 : 0;
            } catch (const Error& error) {
                EXPECT_EQ(error.what(), "another process is writing " + path + ".part");
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (const char mark : {'a', 'b', 'c'}) {
            threads.emplace_back(work, mark);
        }
    }
    EXPECT_EQ(shared, 0);
    EXPECT_GT(finished, 0);
    const std::string content = contentOf(path);
    EXPECT_EQ(content, std::string(1000, content.empty() ? ' ' : content.front()));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(PartFileTest, RemovesNoOther) {
    const TemporaryFolder folder;
    PartFile part = PartFile::open(folderOf(folder.file("x")), "x.part", 0600, "x.part");
    std::filesystem::rename(folder.file("x.part"), folder.file("moved"));
    std::ofstream(folder.file("x.part")) << "another's";
    part.remove();
    EXPECT_EQ(part.rename("x"), ESTALE);
    EXPECT_EQ(contentOf(folder.file("x.part")), "another's");
}

TEST(PartFileTest, IsNeverWrittenThroughWhatOthersPutThere) {
    const TemporaryFolder folder;
    const std::string part = folder.file("x.part");
    std::ofstream(folder.file("precious")) << "kept";
    const std::array<std::pair<std::function<void()>, std::string>, 4> traps{{
        {[&] { std::filesystem::create_symlink("precious", part); }, "a link"},
        {[&] { std::filesystem::create_hard_link(folder.file("precious"), part); },
         "a file with a second name (a hard link)"},
        {[&] { ASSERT_EQ(::mkfifo(part.c_str(), 0600), 0); }, "something that is not a file"},
        {[&] { std::filesystem::create_directory(part); }, "something that is not a file"},
    }};
    for (const auto& [plant, what] : traps) {
        plant();
        expectRefused(folder, what);
        std::filesystem::remove(part);
    }
    EXPECT_EQ(contentOf(folder.file("precious")), "kept");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"precious"});
}

TEST(PartFileTest, OfAnotherUserIsLeftAlone) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give a file away";
    }
    const TemporaryFolder folder;
    std::ofstream(folder.file("x.part")).flush();
    ASSERT_EQ(::chown(folder.file("x.part").c_str(), 12345, 12345), 0);
    expectRefused(folder, "another user's file");
}

}  // namespace
}  // namespace verbcast::testing

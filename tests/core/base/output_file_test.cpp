#include "core/base/os/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/error.h"
#include "core/base/os/whole_file.h"
#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr uid_t kAnother = 65534;

class OutputFile : public ::testing::Test {
  protected:
    OutputFile() {
        std::filesystem::create_directory(shared());
        ::chmod(shared().c_str(), 01777);
        std::ofstream(victim()) << "precious";
    }

    std::filesystem::path own() const { return folder_; }
    std::filesystem::path shared() const { return folder_ / "shared"; }
    std::filesystem::path victim() const { return folder_ / "victim"; }
    static void give(const std::filesystem::path& path) {
        ASSERT_EQ(::lchown(path.c_str(), kAnother, kAnother), 0);
    }
    static void expectRefused(const std::string& path, const std::string& what) {
        const std::function<void()> writings[] = {[&] { static_cast<void>(openOutput(path)); },
                                                  [&] { writeWhole(path, "x"); },
                                                  [&] { checkWritable(path); }};
        for (const auto& writing : writings) {
            const Error error = thrownBy([&] { writing(); });
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_EQ(std::string(error.what()), fmt::format("writing {}: {} is in its place", path, what));
            EXPECT_NE(error.remedy(), "");
        }
    }
    static void put(const std::filesystem::path& path, std::string_view text) {
        const UniqueFd file = openOutput(path);
        ASSERT_TRUE(file) << path;
        ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }

    const TemporaryFolder made_;
    const std::filesystem::path folder_ = made_.path();
};

TEST_F(OutputFile, IsKeptUnlessItIsToBeReplaced) {
    std::filesystem::create_symlink(victim(), own() / "link");
    std::filesystem::create_symlink(own() / "nothing", own() / "dangling");
    std::ofstream(own() / "empty").flush();
    const auto refusal = [&](const std::string& name, Existing existing) {
        try {
            return std::string(openOutput(own() / name, 0, existing) ? "" : "not opened");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            return std::string(error.what());
        }
    };
    EXPECT_TRUE(contains(refusal("victim", Existing::Refused), "victim exists"));
    EXPECT_TRUE(contains(refusal("link", Existing::Refused), "link exists"));
    for (const char* const link : {"link", "dangling"}) {
        EXPECT_TRUE(contains(refusal(link, Existing::Replaced), "a link, which --force does not follow"));
    }
    EXPECT_FALSE(std::filesystem::exists(own() / "nothing"));
    EXPECT_EQ(contentOf(victim()), "precious");
    EXPECT_EQ(refusal("new", Existing::Refused), "");
    EXPECT_EQ(refusal("empty", Existing::Refused), "") << "it holds nothing";
    const UniqueFd open(::open(victim().c_str(), O_WRONLY | O_CLOEXEC));
    for (const Existing existing : {Existing::Refused, Existing::Replaced}) {
        EXPECT_TRUE(openOutput("/dev/null", 0, existing));
        EXPECT_TRUE(openOutput(fmt::format("/proc/self/fd/{}", open.get()), 0, existing));
        std::ofstream(victim()) << "precious";
    }
    EXPECT_EQ(refusal("victim", Existing::Replaced), "");
    EXPECT_EQ(contentOf(victim()), "");
}

TEST_F(OutputFile, IsCreatedOrEmptied) {
    put(own() / "new", "new");
    EXPECT_EQ(contentOf(own() / "new"), "new");
    put(victim(), "new");
    EXPECT_EQ(contentOf(victim()), "new");
    put(shared() / "ours", "older and longer");
    put(shared() / "ours", "newer");
    EXPECT_EQ(contentOf(shared() / "ours"), "newer");
    EXPECT_FALSE(openOutput(own() / "missing" / "x"));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(openOutput(own()));
    EXPECT_EQ(errno, EISDIR);
}

TEST_F(OutputFile, LinksOfTheUsersOwnLeadToTheirFiles) {
    std::filesystem::create_directory(own() / "real");
    std::filesystem::create_symlink("real/file", own() / "link");
    std::filesystem::create_symlink(own() / "link", own() / "link to a link");
    put(own() / "link to a link", "created");
    EXPECT_EQ(contentOf(own() / "real" / "file"), "created");
    writeWhole(own() / "link", "replaced");
    EXPECT_EQ(contentOf(own() / "real" / "file"), "replaced");
    EXPECT_TRUE(std::filesystem::is_symlink(own() / "link"));
    std::filesystem::create_hard_link(victim(), own() / "second name");
    put(own() / "second name", "both");
    EXPECT_EQ(contentOf(victim()), "both");
    std::filesystem::create_symlink("circle", own() / "circle");
    EXPECT_FALSE(openOutput(own() / "circle"));
    EXPECT_EQ(errno, ELOOP);
}

TEST_F(OutputFile, MayBeADeviceOrAnOpenPipe) {
    EXPECT_TRUE(openOutput("/dev/null"));
    EXPECT_NO_THROW(writeWhole("/dev/null", "x"));
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reading(ends[0]);
    const UniqueFd writing(ends[1]);
    put(fmt::format("/dev/fd/{}", writing.get()), "x");
    char byte = 0;
    EXPECT_EQ(::read(reading.get(), &byte, 1), 1);
    ASSERT_EQ(::mkfifo((shared() / "pipe").c_str(), 0666), 0);
    EXPECT_FALSE(openOutput(shared() / "pipe", O_NONBLOCK));
    EXPECT_EQ(errno, ENXIO) << "our own, without a reader";
}

TEST_F(OutputFile, IsNothingThatWasPlantedInAFolderOfEverybody) {
    const std::string link = shared() / "link";
    const std::string second = shared() / "second name";
    const std::string led = own() / "led there";
    std::filesystem::create_symlink(victim(), link);
    std::filesystem::create_hard_link(victim(), second);
    std::filesystem::create_symlink(link, led);
    expectRefused(link, "a link, in a folder that everybody can write to,");
    expectRefused(second, "a file with a second name (a hard link)");
    try {
        static_cast<void>(openOutput(led));
        ADD_FAILURE() << "an own link leads to a planted one";
    } catch (const Error&) {
    }
    EXPECT_EQ(contentOf(victim()), "precious");
}

TEST_F(OutputFile, IsNothingOfAnotherUser) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files to another user";
    }
    const std::string file = shared() / "file";
    const std::string pipe = shared() / "pipe";
    const std::string link = own() / "link";
    const std::string second = own() / "second name";
    std::ofstream(file) << "bait";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
    std::filesystem::create_symlink(victim(), link);
    std::ofstream(second) << "theirs";
    std::filesystem::create_hard_link(second, own() / "first name");
    for (const std::string& each : {file, pipe, link, second}) {
        ASSERT_NO_FATAL_FAILURE(give(each));
    }
    expectRefused(file, "another user's file");
    expectRefused(pipe, "another user's named pipe");
    expectRefused(link, "another user's link");
    expectRefused(second, "a file with a second name (a hard link)");
    std::filesystem::create_directory(own() / "theirs");
    std::filesystem::create_hard_link(victim(), own() / "theirs" / "name");
    ASSERT_NO_FATAL_FAILURE(give(own() / "theirs"));
    expectRefused(own() / "theirs" / "name", "a file with a second name (a hard link)");
    EXPECT_EQ(contentOf(victim()), "precious");
    EXPECT_EQ(contentOf(second), "theirs");
}

}  // namespace
}  // namespace verbcast::testing

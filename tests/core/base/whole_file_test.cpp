#include "core/base/os/whole_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class WholeFile : public ::testing::Test {
  protected:
    std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }
    const TemporaryFolder made_;
    const std::filesystem::path folder_ = made_.path();
};

TEST_F(WholeFile, ReplacesAnOlderOneAndLeavesNothingElse) {
    const std::string path = folder_ / "report.json";
    writeWhole(path, "older and longer");
    writeWhole(path, "newer");
    EXPECT_EQ(contentOf(path), "newer");
    EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, ANameMayBeAsLongAsTheFileSystemAllows) {
    const std::string path = folder_ / std::string(NAME_MAX, 'n');
    checkWritable(path);
    writeWhole(path, "content");
    EXPECT_EQ(contentOf(path), "content");
    EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, AFailureInTheMiddleLeavesTheOlderOne) {
    const std::string path = folder_ / "report.json";
    writeWhole(path, "older");
    // With the signal ignored, a file beyond the limit fails as on a full disk.
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(writeWhole(path, std::string(100'000, 'x')), Error);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(contentOf(path), "older");
    EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, FoldersAndMissingPlacesAreRefusedBeforehandToo) {
    for (const std::string& path : {folder_.string(), (folder_ / "missing" / "report.json").string()}) {
        for (void (*attempt)(const std::string&) : {+[](const std::string& p) { checkWritable(p); },
                                                    +[](const std::string& p) { writeWhole(p, "x"); }}) {
            const Error error = thrownBy([&] { attempt(path); });
            EXPECT_EQ(error.kind(), ErrorKind::Usage) << error.what();
            EXPECT_TRUE(contains(error.what(), path));
        }
    }
    EXPECT_EQ(files(), 0);
}

TEST_F(WholeFile, CheckingCreatesNothingAndKeepsWhatIsThere) {
    checkWritable(folder_ / "report.json");
    checkWritable("");
    checkWritable("-");
    EXPECT_EQ(files(), 0);
    writeWhole(folder_ / "report.json", "kept");
    checkWritable(folder_ / "report.json");
    EXPECT_EQ(contentOf(folder_ / "report.json"), "kept");
}

TEST_F(WholeFile, WhatOthersPreparedBesideItIsNotTouched) {
    const std::string path = folder_ / "report.json";
    std::ofstream(folder_ / "precious") << "kept";
    const std::string guessed = path + ".part" + std::to_string(::getpid());
    std::filesystem::create_symlink("precious", guessed);
    checkWritable(path);
    writeWhole(path, "text");
    EXPECT_EQ(contentOf(folder_ / "precious"), "kept");
    EXPECT_TRUE(std::filesystem::is_symlink(guessed));
    EXPECT_EQ(files(), 3);
}

TEST_F(WholeFile, ADeviceStaysADevice) {
    checkWritable("/dev/null");
    writeWhole("/dev/null", "gone");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace verbcast::testing

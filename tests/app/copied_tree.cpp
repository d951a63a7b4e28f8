#include "tests/app/copied_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/os/unique_fd.h"
#include "tests/support/noise.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {

namespace fs = std::filesystem;

void writeFile(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

struct stat statusOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
}

void expectEqualTrees(const std::string& one, const std::string& other) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(one)) {
        const std::string path = entry.path();
        const std::string copy = other + path.substr(one.size());
        SCOPED_TRACE(path);
        const struct stat expected = statusOf(path);
        const struct stat status = statusOf(copy);
        EXPECT_EQ(status.st_mode, expected.st_mode);
        EXPECT_EQ(status.st_mtim.tv_sec, expected.st_mtim.tv_sec);
        EXPECT_EQ(status.st_mtim.tv_nsec, expected.st_mtim.tv_nsec);
        if (S_ISLNK(expected.st_mode)) {
            EXPECT_EQ(fs::read_symlink(copy), fs::read_symlink(path));
        } else if (S_ISREG(expected.st_mode)) {
            EXPECT_TRUE(contentOf(copy) == contentOf(path));
            EXPECT_LE(status.st_blocks, expected.st_blocks);
        }
        ++count;
    }
    const auto all = fs::recursive_directory_iterator(other);
    EXPECT_EQ(static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all))), count);
}

void makeTree(const std::string& folder) {
    fs::create_directories(folder + "/inner/deeper");
    fs::create_directory(folder + "/empty folder");
    writeFile(folder + "/empty", "");
    writeFile(folder + "/inner/big", noise(3U << 20));
    writeFile(folder + "/inner/deeper/'odd\" $name\n\\ \xc3\xa4 \xff", "odd");
    writeFile(folder + "/" + std::string(255, 'x'), "long");
    fs::create_symlink("../somewhere else", folder + "/inner/link");
    fs::create_symlink("/", folder + "/out");
    const UniqueFd holes(::open((folder + "/holes").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::pwrite(holes.get(), "middle", 6, 5 << 20), 6);
    ASSERT_EQ(::ftruncate(holes.get(), 10 << 20), 0);
    ::chmod((folder + "/inner/big").c_str(), 0751);
    ::chmod((folder + "/inner/deeper").c_str(), 0750);
    const timespec times[2]{{1, 2}, {1'000'000'000, 123'456'789}};
    ::utimensat(AT_FDCWD, (folder + "/empty").c_str(), times, 0);
    ::utimensat(AT_FDCWD, (folder + "/inner").c_str(), times, 0);
    ::utimensat(AT_FDCWD, (folder + "/out").c_str(), times, AT_SYMLINK_NOFOLLOW);
}

}  // namespace verbcast::testing

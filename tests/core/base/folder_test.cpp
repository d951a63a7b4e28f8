#include "core/base/os/folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace verbcast::testing {
namespace {

using Names = std::vector<std::string>;

class Folder : public ::testing::Test {
  protected:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "verbcast-folder-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() override { std::filesystem::remove_all(path_); }

    std::filesystem::path path_;
    std::error_code error_;
};

TEST_F(Folder, NamesAreSortedAndIncludeHiddenOnesAndFolders) {
    EXPECT_EQ(namesIn(path_, error_), Names{});
    EXPECT_FALSE(error_);
    for (const char* name : {"b", "a", ".hidden"}) {
        std::ofstream(path_ / name) << name;
    }
    std::filesystem::create_directory(path_ / "folder");
    EXPECT_EQ(namesIn(path_, error_), (Names{".hidden", "a", "b", "folder"}));
    EXPECT_FALSE(error_);
}

TEST_F(Folder, WhatCannotBeReadHasNoNames) {
    EXPECT_EQ(namesIn(path_ / "none", error_), Names{});
    EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
    std::ofstream(path_ / "file") << "text";
    EXPECT_EQ(namesIn(path_ / "file", error_), Names{});
    EXPECT_EQ(error_, std::errc::not_a_directory);
    EXPECT_EQ(namesIn(path_ / "none"), Names{});
}

}  // namespace
}  // namespace verbcast::testing

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
};

TEST_F(Folder, NamesAreSortedAndIncludeHiddenOnesAndFolders) {
    EXPECT_EQ(namesIn(path_), Names{});
    for (const char* name : {"b", "a", ".hidden"}) {
        std::ofstream(path_ / name) << name;
    }
    std::filesystem::create_directory(path_ / "folder");
    EXPECT_EQ(namesIn(path_), (Names{".hidden", "a", "b", "folder"}));
}

TEST_F(Folder, WhatCannotBeReadHasNoNames) {
    EXPECT_EQ(namesIn(path_ / "none"), Names{});
    std::ofstream(path_ / "file") << "text";
    EXPECT_EQ(namesIn(path_ / "file"), Names{});
}

}  // namespace
}  // namespace verbcast::testing

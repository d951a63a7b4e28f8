#include "core/base/os/folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

using Names = std::vector<std::string>;

class Folder : public ::testing::Test {
  protected:
    const TemporaryFolder made_;
    const std::filesystem::path path_ = made_.path();
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

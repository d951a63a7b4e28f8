#include "core/base/os/part_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

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
                shared += part.state().bytes == 0 ? 0 : 1;
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

}  // namespace
}  // namespace verbcast::testing

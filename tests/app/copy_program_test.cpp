// verbcast copy over a real sshd.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <thread>

#include "tests/app/copied_tree.h"
#include "tests/app/ssh_server.h"
#include "tests/support/exit_codes.h"
#include "tests/support/noise.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

class CopyProgram : public OverSsh {
  protected:
    std::unique_ptr<Verbcast> copy(const Arguments& arguments) const {
        return std::make_unique<Verbcast>(Arguments{"copy"} + access() + arguments, home_);
    }
    void expectCode(int code, const Arguments& arguments, const std::string& words = "") const {
        SCOPED_TRACE(::testing::PrintToString(arguments));
        const auto program = copy(arguments);
        EXPECT_TRUE(endsWith(*program, code));
        EXPECT_TRUE(holds(program->errors(), words));
    }
};

TEST_F(CopyProgram, CopiesFoldersToAHost) {
    fs::create_directory(file("here"));
    fs::create_directory(file("it's there"));
    makeTree(file("here/tree"));
    writeFile(file("here/file"), noise(5U << 20));
    const std::string target = "127.0.0.2:" + file("it's there");
    expectCode(0, {"-r", "-v", file("here/tree"), file("here/file"), target}, "here -> 127.0.0.2");
    expectEqualTrees(file("here"), file("it's there"));
    const auto inode = statusOf(file("it's there/file")).st_ino;
    expectCode(0, {"--resume", file("here/file"), target, "-q", "--stats-json", file("stats")});
    const auto stats = readJson(file("stats"));
    EXPECT_EQ(stats["schema"], "verbcast-copy/1");
    EXPECT_EQ(stats["host"], "127.0.0.2");
    EXPECT_EQ(stats["files"], 1);
    EXPECT_EQ(stats["file_bytes"], 5U << 20);
    EXPECT_LT(stats["bytes"], 5U << 20) << "it was there";
    EXPECT_EQ(stats["not_copied"], nlohmann::json::array());
    EXPECT_EQ(stats["exit_code"], 0);
    EXPECT_EQ(statusOf(file("it's there/file")).st_ino, inode);
}

TEST_F(CopyProgram, SaysWhatCannotBeCopied) {
    writeFile(file("file"), "text");
    fs::create_directory(file("folder"));
    ASSERT_EQ(::mkfifo(file("folder/fifo").c_str(), 0600), 0);
    const std::string host = "127.0.0.1:";
    expectCode(kInput, {file("nothing"), host}, "No such file");
    expectCode(kUsage, {file("folder"), host}, "copy it with -r");
    expectCode(kUsage, {file("file")}, "HOST:TARGET expected");
    expectCode(kUsage, {file("file"), host + file("no/such/place")}, "No such file or directory");
    expectCode(kUsage, {file("file"), file("folder"), "-r", host + file("new")}, "name a folder that exists");
    expectCode(kInput, {"-r", file("folder"), host + file("copy")}, "fifo: is not a file, folder or link");
    EXPECT_TRUE(fs::is_empty(file("copy")));
}

TEST_F(CopyProgram, AnInterruptLeavesNoNameAndResumes) {
    writeFile(file("big"), noise(64U << 20));
    fs::create_directory(file("there"));
    const Arguments arguments{file("big"), "127.0.0.1:" + file("there")};
    {
        const auto program = copy(arguments);
        const auto deadline = TestClock::now() + kPatience;
        while (fs::is_empty(file("there")) && TestClock::now() < deadline) {
            std::this_thread::yield();
        }
        program->signal(SIGINT);
        const auto code = program->waitForEnd();
        EXPECT_TRUE(code == 130 || code == 0) << *code;  // 0: it finished first
        EXPECT_EQ(fs::exists(file("there/big")), code == 0);
    }
    expectCode(0, Arguments{"--resume"} + arguments);
    EXPECT_TRUE(contentOf(file("there/big")) == contentOf(file("big")));
    EXPECT_EQ(std::distance(fs::directory_iterator(file("there")), {}), 1);
}

}  // namespace
}  // namespace verbcast::testing

// The two ends of a copy against each other, against hostile ones, and the program over a real sshd.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <random>
#include <span>
#include <thread>

#include "app/copy/copy_receiver.h"
#include "app/copy/copy_sender.h"
#include "core/pipe/pipe_stopped.h"
#include "tests/app/exit_codes.h"
#include "tests/app/ssh_server.h"
#include "tests/app/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

void writeFile(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string randomText(std::size_t bytes) {
    std::minstd_rand random(static_cast<unsigned>(bytes));
    std::string text(bytes, '\0');
    for (char& c : text) {
        c = static_cast<char>(random() >> 8);
    }
    return text;
}

struct stat statusOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
}

/// Kind, mode, time, and content of all that is below two folders.
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

/// A pipe each way; the test is the sender, or lets a CopySender be it.
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

    /// Begins to receive; the result is the failure's text, or empty.
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

    TemporaryFolder folder_;
    UniqueFd senderInput_, senderOutput_;

  private:
    void connect() {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        receiverInput_.reset(ends[0]);
        senderOutput_.reset(ends[1]);
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        senderInput_.reset(ends[0]);
        receiverOutput_.reset(ends[1]);
    }
    UniqueFd receiverInput_, receiverOutput_;
    std::future<std::string> received_;
};

void makeTree(const std::string& folder) {
    fs::create_directories(folder + "/inner/deeper");
    fs::create_directory(folder + "/empty folder");
    writeFile(folder + "/empty", "");
    writeFile(folder + "/inner/big", randomText(3U << 20));
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
    const std::string content = randomText(1U << 20);
    constexpr std::uint64_t kHad = 300'001;
    writeFile(here("done"), "done");
    writeFile(here("file"), content);
    CopyEntry entry;
    entry.path = "file";
    entry.size = content.size();
    const std::uint64_t zero = 0;
    const auto start = std::as_bytes(std::span(&zero, 1));
    receive();
    writer().write(entry);
    writer().write(CopyRecord::ListEnd);
    EXPECT_EQ(reader().next(), CopyRecord::Answer);
    writer().write(CopyRecord::Begin, start);
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

TEST_F(Copy, OtherBytesThanThoseBeforeBeginAnew) {
    writeFile(here("file"), "what is right");
    CopyEntry entry;
    entry.path = "file";
    entry.size = 13;
    const std::uint64_t zero = 0;
    const auto start = std::as_bytes(std::span(&zero, 1));
    receive();
    writer().write(entry);
    writer().write(CopyRecord::ListEnd);
    EXPECT_EQ(reader().next(), CopyRecord::Answer);
    writer().write(CopyRecord::Begin, start);
    writer().write(CopyRecord::Data, start, std::as_bytes(std::span("wrong")));
    EXPECT_NE(result(), "");
    receive(true);
    CopySender sender({here("file")}, false);
    send(sender);
    EXPECT_EQ(result(), "");
    EXPECT_EQ(contentOf(there("file")), "what is right");
}

TEST_F(Copy, AFullDiskIsSaidAndNothingIsNamed) {
    writeFile(here("file"), randomText(1U << 20));
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
    // A link in the place of a file is replaced, not written through.
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
    expectRefusal([&](CopyWriter to) {  // its checksum is another one
        to.write(CopyRecord::Data, place(0), bytes);
        to.write(CopyRecord::FileEnd, place(1));
    });
    receive();
    ASSERT_EQ(::write(senderOutput_.get(), "GET / HTTP/1.1\r\n\r\n", 18), 18);
    EXPECT_TRUE(holds(result(), "record of type"));
}

class CopyProgram : public OverSsh {
  protected:
    std::unique_ptr<Verbcast> copy(const Arguments& arguments) const {
        return std::make_unique<Verbcast>(joined(joined({"copy"}, access()), arguments), home_);
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
    writeFile(file("here/file"), randomText(5U << 20));
    const std::string target = "127.0.0.2:" + file("it's there");
    expectCode(0, {"-r", "-v", file("here/tree"), file("here/file"), target}, "here -> 127.0.0.2");
    expectEqualTrees(file("here"), file("it's there"));
    const auto inode = statusOf(file("it's there/file")).st_ino;
    expectCode(0, {"--resume", file("here/file"), target});
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
    writeFile(file("big"), randomText(64U << 20));
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
        EXPECT_TRUE(code == 130 || code == 0) << *code;  // 0: it was faster
        EXPECT_EQ(fs::exists(file("there/big")), code == 0);
    }
    expectCode(0, joined({"--resume"}, arguments));
    EXPECT_TRUE(contentOf(file("there/big")) == contentOf(file("big")));
    EXPECT_EQ(std::distance(fs::directory_iterator(file("there")), {}), 1);
}

}  // namespace
}  // namespace verbcast::testing

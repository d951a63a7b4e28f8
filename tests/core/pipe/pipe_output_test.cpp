// Files appear complete or not at all, and interrupted transfers resume.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <fstream>

#include "tests/core/pipe/running_pipe.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class PipeFile : public ::testing::Test {
  protected:
    static void write(const std::filesystem::path& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    static std::span<const std::byte> bytes(const std::string& text) {
        return std::as_bytes(std::span(text));
    }

    /// Sends `content` to file_ with --resume; returns the receiver's exit code.
    int resume(const std::string& content) {
        const UniqueFd input = fileWith(content);
        const auto output = PipeOutput::toFile(path_, true);
        RunningPipe receiver(std::make_unique<PipeReceiver>(settingsOf(1000), listeningOn("shm"), *output));
        RunningPipe sender(std::make_unique<PipeSender>(settingsOf(1000),
                                                        std::vector{connectingTo(receiver.address())},
                                                        PipeInput(input.get(), "the input")));
        const int code = receiver.exitCode();
        EXPECT_EQ(sender.exitCode(), code) << sender.error();
        error_ = receiver.error();
        moved_ = receiver.status().bytes;
        left_ = output->leftBehind();
        return code;
    }

    const TemporaryFolder made_;
    const std::filesystem::path folder_ = made_.path(), path_ = folder_ / "file",
                                part_ = folder_ / "file.part";
    std::string error_, left_;
    std::uint64_t moved_ = 0;
};

TEST_F(PipeFile, AppearsWhenItIsWhole) {
    const auto output = PipeOutput::toFile(path_, false);
    EXPECT_EQ(output->write(bytes("content")), 7U);
    EXPECT_FALSE(std::filesystem::exists(path_));
    output->finish();
    EXPECT_EQ(contentOf(path_), "content");
    EXPECT_FALSE(std::filesystem::exists(part_));
}

TEST_F(PipeFile, ANameMayBeAsLongAsTheFileSystemAllows) {
    const std::string long1 = folder_ / (std::string(NAME_MAX - 1, 'n') + "1"),
                      long2 = folder_ / (std::string(NAME_MAX - 1, 'n') + "2");
    const auto output1 = PipeOutput::toFile(long1, false), output2 = PipeOutput::toFile(long2, false);
    EXPECT_EQ(output1->write(bytes("one")), 3U);
    EXPECT_EQ(output2->write(bytes("two")), 3U);
    output1->finish();
    output2->finish();
    EXPECT_EQ(contentOf(long1), "one");
    EXPECT_EQ(contentOf(long2), "two");
}

TEST_F(PipeFile, AnEmptyStreamMakesAnEmptyFile) {
    PipeOutput::toFile(path_, false)->finish();
    EXPECT_TRUE(std::filesystem::exists(path_));
    EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(PipeFile, OfAFailureKeepsItsPartAndTheOldFile) {
    write(path_, "old");
    {
        const auto output = PipeOutput::toFile(path_, false);
        EXPECT_EQ(output->write(bytes("new")), 3U);
        EXPECT_TRUE(contains(output->leftBehind(), "3 bytes"));
    }
    EXPECT_EQ(contentOf(path_), "old");
    EXPECT_EQ(contentOf(part_), "new");
}

TEST_F(PipeFile, NothingWrittenLeavesNothing) {
    { const auto output = PipeOutput::toFile(path_, false); }
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PipeFile, IsWrittenByOneAtATime) {
    const auto output = PipeOutput::toFile(path_, false);
    EXPECT_THROW(PipeOutput::toFile(path_, false), Error);
}

TEST_F(PipeFile, ThePartIsNeverWrittenThroughALink) {
    const auto precious = folder_ / "precious";
    write(precious, "kept");
    for (const bool resumes : {false, true}) {
        std::filesystem::create_symlink(precious, part_);
        EXPECT_THROW(PipeOutput::toFile(path_, resumes), Error);
        std::filesystem::remove(part_);
        std::filesystem::create_hard_link(precious, part_);
        EXPECT_THROW(PipeOutput::toFile(path_, resumes), Error);
        std::filesystem::remove(part_);
    }
    EXPECT_EQ(contentOf(precious), "kept");
}

TEST_F(PipeFile, InAFolderThatIsNotThereIsRefused) {
    const Error error = thrownBy([&] { PipeOutput::toFile(folder_ / "no" / "file", false); });
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_FALSE(error.remedy().empty());
}

TEST_F(PipeFile, ResumesWhereItWasInterrupted) {
    const std::string content = noise(50'000);
    for (const std::size_t had : {0U, 1U, 999U, 1000U, 1001U, 49'999U, 50'000U}) {
        write(part_, content.substr(0, had));
        EXPECT_EQ(resume(content), 0) << error_;
        EXPECT_EQ(moved_, content.size() - had);
        EXPECT_TRUE(contentOf(path_) == content) << "resumed at " << had;
        EXPECT_FALSE(std::filesystem::exists(part_));
    }
}

TEST_F(PipeFile, DoesNotResumeAnotherStream) {
    write(part_, "something else");
    EXPECT_EQ(resume(noise(50'000)), static_cast<int>(ErrorKind::Corrupt));
    EXPECT_TRUE(contains(error_, "first 14 bytes"));
    EXPECT_EQ(contentOf(part_), "something else");
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PipeFile, DoesNotResumeAShorterStream) {
    write(part_, noise(5000));
    EXPECT_EQ(resume(noise(5000).substr(0, 4000)), static_cast<int>(ErrorKind::Input));
    EXPECT_TRUE(contains(error_, "ends after 4000 bytes"));
    EXPECT_TRUE(contains(left_, "5000 bytes"));
}

TEST_F(PipeFile, ANamedPipeIsWrittenDirectly) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    const UniqueFd reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const auto output = PipeOutput::toFile(path_, false);
    EXPECT_EQ(output->write(bytes("through")), 7U);
    output->finish();
    EXPECT_EQ(readSome(reader.get(), 7), "through");
    EXPECT_THROW(PipeOutput::toFile(path_, true), Error);
}

TEST(PipeOutputTest, AFullPipeIsNotWaitedFor) {
    KernelPipe pipe;
    PipeOutput output(pipe.writing.get(), "a pipe");
    const std::string much(8U << 20, 'x');
    const std::size_t written = output.write(std::as_bytes(std::span(much)));
    EXPECT_GT(written, 0U);
    EXPECT_LT(written, much.size());
    EXPECT_EQ(output.write(std::as_bytes(std::span(much))), 0U);
    EXPECT_FALSE(output.ready());
    readSome(pipe.reading.get(), written);
    EXPECT_TRUE(output.ready());
    // The owner of the borrowed pipe finds its flags unchanged.
    EXPECT_EQ(::fcntl(pipe.writing.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(PipeInputTest, RefusesFoldersAndWhatIsNotThere) {
    EXPECT_THROW(PipeInput::open("/tmp"), Error);
    EXPECT_THROW(PipeInput::open("/there/is/nothing"), Error);
}

TEST(PipeInputTest, KnowsTheLengthThatIsLeft) {
    const UniqueFd file = fileWith("0123456789");
    ::lseek(file.get(), 4, SEEK_SET);
    EXPECT_EQ(PipeInput(file.get(), "file").length(), 6U);
    KernelPipe pipe;
    EXPECT_EQ(PipeInput(pipe.reading.get(), "pipe").length(), std::nullopt);
}

}  // namespace
}  // namespace verbcast::testing

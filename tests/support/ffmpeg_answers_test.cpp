// The tests' own memory of what ffmpeg answered: the same call, and no other, is answered from it.
#include "tests/support/ffmpeg_answers.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class FfmpegAnswers : public ::testing::Test {
  protected:
    FfmpegAnswers() {
        ::setenv("VERBCAST_TEST_FFMPEG", home_.file("kept").c_str(), 1);
        write("program", "first");
        write("in.nut", "picture");
        write("out.mkv", "movie");
        call().keep("said");
        std::filesystem::remove(home_.file("out.mkv"));
    }
    ~FfmpegAnswers() override {
        if (kept_) {
            ::setenv("VERBCAST_TEST_FFMPEG", kept_->c_str(), 1);
        } else {
            ::unsetenv("VERBCAST_TEST_FFMPEG");
        }
    }

    void write(const std::string& name, const std::string& content) const {
        std::ofstream(home_.file(name)) << content;
    }
    FfmpegCall call(const std::string& codec = "copy") const {
        return {home_.file("program"), {"-i", home_.file("in.nut"), "-c", codec, home_.file("out.mkv")}};
    }
    static std::optional<std::string> variable() {
        const char* const value = ::getenv("VERBCAST_TEST_FFMPEG");
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }

    TemporaryFolder home_;
    std::optional<std::string> kept_ = variable();
};

TEST_F(FfmpegAnswers, TheSameCallSaysAndMakesTheSame) {
    EXPECT_EQ(call().answer(), "said");
    EXPECT_EQ(contentOf(home_.file("out.mkv")), "movie");
}

TEST_F(FfmpegAnswers, OtherArgumentsFilesAndProgramsAreAskedAnew) {
    EXPECT_EQ(call("ffv1").answer(), std::nullopt);
    write("in.nut", "another");
    EXPECT_EQ(call().answer(), std::nullopt);
    write("in.nut", "picture");
    EXPECT_EQ(call().answer(), "said");
    write("program", "second");
    EXPECT_EQ(call().answer(), std::nullopt);
}

TEST_F(FfmpegAnswers, WhatDependsOnMoreIsNotKept) {
    const std::string program = home_.file("program");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"-f", "v4l2", "-i", "/dev/video0", "-"},
          {"-i", "-", "-f", "framemd5", "-"},
          {"-f", "lavfi", "-i", "movie=" + home_.file("in.nut"), "-"},
          {"-i", home_.file("in.nut"), "-passlogfile", home_.file("log"), "-"},
          {"-i", home_.file("in.nut"), home_.file("%03d.png")}}) {
        const FfmpegCall other(program, arguments);
        other.keep("said");
        EXPECT_EQ(other.answer(), std::nullopt) << arguments[1] << ' ' << arguments.back();
    }
}

TEST_F(FfmpegAnswers, WithoutAFolderNothingIsKept) {
    ::unsetenv("VERBCAST_TEST_FFMPEG");
    call().keep("said");
    EXPECT_EQ(call().answer(), std::nullopt);
}

}  // namespace
}  // namespace verbcast::testing

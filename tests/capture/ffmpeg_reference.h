// The ffmpeg program, which makes test files and serves as reference, and sources read to their end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {

/// Runs `ffmpeg ARGUMENTS`, split at blanks; throws with its messages if it fails.
void ffmpeg(const std::string& arguments);

/// The output of `ffmpeg ARGUMENTS -f framemd5 -`. Decoder errors are tolerated.
std::vector<FrameSum> ffmpegFrameSums(const std::string& arguments);

/// The output of `ffmpeg ARGUMENTS -f rawvideo -`.
std::vector<std::uint8_t> ffmpegRaw(const std::string& arguments);

FrameSum sumOf(const CapturedFrame& frame);

/// All frames of a source, up to a limit, released one by one.
std::vector<FrameSum> takeSums(FrameSource& source, std::size_t limit = SIZE_MAX);

/// Skips the tests on machines without ffmpeg.
class FfmpegTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!hasFfmpeg()) {
            SKIP_FOR_WANT_OF_A_PACKAGE()
                << "the ffmpeg program is not installed: nothing to make files with or to compare to";
        }
    }
    std::string file(const std::string& name) const { return folder_.file(name); }

  private:
    TemporaryFolder folder_;
};

}  // namespace verbcast::testing

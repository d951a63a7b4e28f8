// The ffmpeg program as maker of test files and as reference, and sources read to their end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/frame_source.h"

namespace verbcast::test {

/// A folder of its own, removed with all that is in it.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

bool hasFfmpeg();

/// Runs `ffmpeg ARGUMENTS`; throws with its messages when it fails.
void ffmpeg(const std::string& arguments);

struct FrameSum {
    std::int64_t pts = 0;
    std::uint64_t bytes = 0;
    std::string md5;
    friend bool operator==(const FrameSum&, const FrameSum&) = default;
};
void PrintTo(const FrameSum& sum, std::ostream* out);

/// What `ffmpeg ARGUMENTS -f framemd5 -` prints. Errors of the decoder are tolerated.
std::vector<FrameSum> ffmpegFrameSums(const std::string& arguments);

/// What `ffmpeg ARGUMENTS -f rawvideo -` writes.
std::vector<std::uint8_t> ffmpegRaw(const std::string& arguments);

FrameSum sumOf(const CapturedFrame& frame);

/// All frames of a source, up to a limit, released one by one.
std::vector<FrameSum> takeSums(FrameSource& source, std::size_t limit = SIZE_MAX);

/// Skips the tests of a machine without ffmpeg.
class FfmpegTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!hasFfmpeg()) {
            GTEST_SKIP()
                << "the ffmpeg program is not installed: nothing to make files with or to compare to";
        }
    }
    std::string file(const std::string& name) const { return folder_.file(name); }

  private:
    TemporaryFolder folder_;
};

}  // namespace verbcast::test

// The ffmpeg program: it makes the test files and says what is in them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace verbcast::testing {

bool hasFfmpeg();

/// Runs `ffmpeg ARGUMENTS` and gives its standard output; throws with its messages when it fails.
std::string ffmpeg(const std::vector<std::string>& arguments);

/// A frame as `--frame-md5` and framemd5 describe it.
struct FrameSum {
    std::int64_t pts = 0;
    std::uint64_t bytes = 0;
    std::string md5;
    friend bool operator==(const FrameSum&, const FrameSum&) = default;
};
void PrintTo(const FrameSum& sum, std::ostream* out);

/// What `ffmpeg ARGUMENTS -f framemd5 -` says.
std::vector<FrameSum> ffmpegFrameSums(std::vector<std::string> arguments);
/// What the text says that framemd5 writes.
std::vector<FrameSum> frameSumsIn(const std::string& framemd5);

/// The filter graph of a moving picture of exactly this size: some sources round odd sizes down.
std::string movingPicture(int width, int height, const std::string& pixelFormat);

}  // namespace verbcast::testing

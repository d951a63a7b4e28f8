// Runs the ffmpeg program, which makes test files and tells what is in them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace verbcast::testing {

bool hasFfmpeg();

/// Runs `ffmpeg ARGUMENTS` and returns its standard output; throws with its messages if it fails. The last
/// argument is the only output. Answers may be kept: see ffmpeg_answers.h.
std::string ffmpeg(const std::vector<std::string>& arguments);

/// A frame as listed by `--frame-md5` and framemd5.
struct FrameSum {
    std::int64_t pts = 0;
    std::uint64_t bytes = 0;
    std::string md5;
    friend bool operator==(const FrameSum&, const FrameSum&) = default;
};
void PrintTo(const FrameSum& sum, std::ostream* out);

/// The output of `ffmpeg ARGUMENTS -f framemd5 -`.
std::vector<FrameSum> ffmpegFrameSums(std::vector<std::string> arguments);
/// Parses framemd5's output.
std::vector<FrameSum> frameSumsIn(const std::string& framemd5);

/// The filter graph of a moving picture of exactly this size, because some sources round odd sizes down.
std::string movingPicture(int width, int height, const std::string& pixelFormat);

}  // namespace verbcast::testing

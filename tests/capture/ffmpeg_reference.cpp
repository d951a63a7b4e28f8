#include "tests/capture/ffmpeg_reference.h"

#include <iterator>
#include <sstream>

#include "core/memory/device_pool.h"
#include "core/video/frame_md5.h"

namespace verbcast::testing {
namespace {

std::vector<std::string> wordsOf(const std::string& arguments) {
    std::istringstream words(arguments);
    return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

void ffmpeg(const std::string& arguments) {
    ffmpeg(wordsOf(arguments));
}

std::vector<FrameSum> ffmpegFrameSums(const std::string& arguments) {
    return ffmpegFrameSums(wordsOf(arguments));
}

std::vector<std::uint8_t> ffmpegRaw(const std::string& arguments) {
    const std::string output = ffmpeg(wordsOf(arguments + " -f rawvideo -"));
    if (output.empty()) {
        throw std::runtime_error("ffmpeg " + arguments + " gave no data");
    }
    return {output.begin(), output.end()};
}

FrameSum sumOf(const CapturedFrame& frame) {
    HostPayload payload;
    return {frame.pts, tightBytes(frame.format),
            frameMd5(frame.format, payload.of(frame.lease, frame.format.payloadBytes))};
}

std::vector<FrameSum> takeSums(FrameSource& source, std::size_t limit) {
    std::vector<FrameSum> sums;
    const Event never;
    CapturedFrame frame;
    while (sums.size() < limit && source.capture(frame, never) == Status::Ok) {
        EXPECT_EQ(formatProblem(frame.format), std::nullopt);
        EXPECT_LE(frame.format.payloadBytes, frame.lease.capacity());
        sums.push_back(sumOf(frame));
    }
    return sums;
}

}  // namespace verbcast::testing

#include "capture/media/input/stream_head.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "capture/media/input/pipe_reader.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::array<std::string_view, 2> kNames{"YUV4MPEG2 ", "nut/multimedia container"};
constexpr std::string_view kJpeg = "\xff\xd8\xff";
constexpr std::size_t kStep = 64 << 10;
constexpr std::size_t kMaxProbe = 1 << 20;  // as libavformat does

bool beginsWith(const std::vector<std::uint8_t>& bytes, std::string_view name) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(name);
}

/// Null if FFmpeg does not know it, or only guesses.
const AVInputFormat* recognisedFormat(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint8_t> padded(bytes);
    padded.resize(bytes.size() + AVPROBE_PADDING_SIZE);
    const AVProbeData data{"", padded.data(), static_cast<int>(bytes.size()), nullptr};
    int score = 0;
    const AVInputFormat* format = av_probe_input_format3(&data, 1, &score);
    if (score > AVPROBE_SCORE_RETRY) {
        return format;
    }
    // FFmpeg is sure of one JPEG picture, but not of several.
    return beginsWith(bytes, kJpeg) ? av_find_input_format("jpeg_pipe") : nullptr;
}

}  // namespace

bool StreamHead::readMore() {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kStep);
    const ssize_t got = readWhenReady(descriptor_, bytes_.data() + before, kStep, cancel_);
    if (got < 0 && errno == ECANCELED) {
        throw Error(ErrorKind::Input, name_ + " was not waited for any longer");
    }
    if (got < 0) {
        throwErrno(ErrorKind::Input, "read", name_, errno);
    }
    bytes_.resize(before + static_cast<std::size_t>(got));
    return got > 0;
}

bool StreamHead::namesItself() {
    for (const std::string_view name : kNames) {
        while (bytes_.size() < name.size() && readMore()) {
        }
        if (beginsWith(bytes_, name)) {
            return true;
        }
    }
    return false;
}

PipedMedia StreamHead::recognise() {
    const AVInputFormat* format = bytes_.empty() ? nullptr : recognisedFormat(bytes_);
    while (format == nullptr && bytes_.size() < kMaxProbe && readMore()) {
        format = recognisedFormat(bytes_);
    }
    if (format == nullptr) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{}: raw frames need --size and --format",
                                bytes_.empty() ? "there is nothing on " + name_
                                               : name_ + " does not say what it holds"),
                    "use a format that says so: ffmpeg -i FILE -c:v rawvideo -f nut - | verbcast send -, or "
                    "for raw frames: ffmpeg -i FILE -f rawvideo -pix_fmt yuv420p - | verbcast send - --size "
                    "1920x1080 --format yuv420p --fps 60");
    }
    return {.descriptor = descriptor_, .name = name_, .format = format, .head = take()};
}

std::vector<std::uint8_t> StreamHead::take() {
    if (!bytes_.empty() && ::lseek(descriptor_, -static_cast<off_t>(bytes_.size()), SEEK_CUR) >= 0) {
        bytes_.clear();
    }
    return std::exchange(bytes_, {});
}

}  // namespace verbcast

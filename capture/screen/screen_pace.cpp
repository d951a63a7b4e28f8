#include "capture/screen/screen_pace.h"

#include <cmath>

namespace verbcast {
namespace {

constexpr Rational kDefaultRate{60, 1};
constexpr TimestampNs kStillTime = 1'000'000'000;

Rational rateOf(const SourceOptions& options) {
    if (options.width || options.height || options.pixelFormat) {
        throw Error(
            ErrorKind::Usage, "a screen is sent in its own size and pixel format",
            "leave --size and --format out; screen:rect=WIDTHxHEIGHT+X+Y sends a part of an X screen");
    }
    const Rational rate = options.frameRate.value_or(kDefaultRate);
    if (rate.numerator <= 0 || rate.denominator <= 0) {
        throw Error(ErrorKind::Usage, "a screen needs a frame rate above 0", "for example: --fps 60");
    }
    return rate;
}

}  // namespace

ScreenPace::ScreenPace(const SourceOptions& options)
    : rate_(rateOf(options)), least_(options.unpaced ? 0 : frameTime()), firstAt_(options.ptsZero) {}

TimestampNs ScreenPace::frameTime() const {
    return static_cast<TimestampNs>(std::llround(1e9 / rate_.value()));
}

TimestampNs ScreenPace::repeatAt() const {
    return lastAt_ + kStillTime;
}

/// After a pause the next change is taken at once. A screen that changes all the time is taken on a fixed
/// grid, so that late wake-ups do not add up.
std::int64_t ScreenPace::taken(TimestampNs at) {
    firstAt_ = firstAt_ == 0 ? at : firstAt_;
    lastAt_ = at;
    nextAt_ = at - nextAt_ < least_ ? nextAt_ + least_ : at + least_;
    return (at - firstAt_) / 1000;
}

VideoFormat ScreenPace::format(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat) const {
    VideoFormat format = tightFormat(width, height, pixelFormat);
    format.frameRate = rate_;
    format.timeBase = {1, 1'000'000};
    format.colour = {.primaries = 1, .transfer = 13, .matrix = 0, .fullRange = true, .chromaLocation = 0};
    return format;
}

}  // namespace verbcast

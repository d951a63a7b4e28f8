#include "app/commands/send/sending_limits.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr double kLateEnd = 0.25;  // seconds that the last frames of a stream may be late

}  // namespace

SendingLimits::SendingLimits(const SendingOptions& options, const FrameSource& source, Policy policy)
    : options_(options), source_(source), policy_(policy) {}

void SendingLimits::begin() {
    firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
}

void SendingLimits::extend(std::chrono::nanoseconds waited) {
    waitedNs_ += firstAt_ != 0 ? waited.count() : 0;
}

bool SendingLimits::endsByClock() const {
    return options_.pacing == Pacing::Max || source_.pacesItself() ||
           (options_.pacing == Pacing::Source && !source_.isLive());
}

std::chrono::nanoseconds SendingLimits::left() const {
    if (!options_.duration || !endsByClock()) {
        return std::chrono::nanoseconds::max();
    }
    return *options_.duration - std::chrono::nanoseconds(firstAt_ != 0 ? nowNs() - firstAt_ : 0);
}

bool SendingLimits::timeReached(const VideoFormat& next) const {
    if (!options_.duration) {
        return false;
    }
    if (endsByClock()) {
        return left() <= 0ns;
    }
    // At a fixed rate the frame count decides, not the clock: 60 s at 60 fps are 3600 frames. But a live
    // picture that is drawn too slowly for its rate ends when the time is over.
    const double limit = std::chrono::duration<double>(*options_.duration).count();
    const double lasted = firstAt_ != 0 ? static_cast<double>(nowNs() - firstAt_) * 1e-9 : 0;
    const double waited = static_cast<double>(waitedNs_) * 1e-9;
    if (source_.isLive() && policy_ == Policy::Latest && lasted >= limit + waited + kLateEnd) {
        return true;
    }
    const double rate = options_.pacing == Pacing::Rate ? options_.rate.value() : next.frameRate.value();
    return rate > 0 && static_cast<double>(submitted_) >= std::max(1.0, std::round(limit * rate));
}

}  // namespace verbcast

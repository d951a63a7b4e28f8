#include "app/host/pacer.h"

namespace verbcast {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;

}  // namespace

TimestampNs Pacer::position(std::uint64_t index, std::int64_t pts, Rational timeBase) const {
    const double seconds = pacing_ == Pacing::Rate ? static_cast<double>(index) / rate_.value()
                                                   : static_cast<double>(pts) * timeBase.value();
    return static_cast<TimestampNs>(seconds * 1e9);
}

TimestampNs Pacer::due(std::uint64_t index, std::int64_t pts, Rational timeBase, TimestampNs now) {
    if (pacing_ == Pacing::Max) {
        return now;
    }
    const TimestampNs offset = position(index, pts, timeBase);
    const TimestampNs due = origin_ + offset;
    if (started_ && now - due <= kSecond && due - now <= 10 * kSecond) {
        return due;
    }
    started_ = true;
    origin_ = now - offset;
    return now;
}

}  // namespace verbcast

#include "render/sound/sound_intake.h"

#include <cmath>

namespace verbcast {
namespace {

constexpr double kMaxStampError = 0.02;  // seconds; more is another time
constexpr double kMaxLoss = 1;           // seconds; after more than that the clock may be another one

}  // namespace

void SoundIntake::put(const SoundFormat& format, std::int64_t pts, bool follows,
                      std::span<const float> planar, TimestampNs arrivedAt) {
    const bool sensible =
        !soundFormatProblem(format) && !planar.empty() && planar.size() % format.channels == 0;
    const double stamp = sensible ? format.secondsOf(pts) : 0;
    const bool same = sensible && format_ && sameSound(*format_, format);
    if (!sensible || (!same && !enter(format, stamp))) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        broken_ = true;
        return;
    }
    const bool continues = same && follow(stamp, follows, format.rate);
    const std::size_t samples = planar.size() / format.channels;
    samples_ = static_cast<double>(samples);
    const bool pushed = queues_.newest()->push(planar, clock_.time(), clock_.period(), !continues || broken_);
    broken_ = !pushed;
    dropped_.fetch_add(pushed ? 0 : 1, std::memory_order_relaxed);
    arrival_.add(stamp, static_cast<double>(arrivedAt) * 1e-9);
    arrivals_.set(arrival_);
}

bool SoundIntake::enter(const SoundFormat& format, double stamp) {
    if (!queues_.begin(format)) {
        return false;
    }
    format_ = format;
    clock_.restart(stamp, 1.0 / format.rate);
    return true;
}

/// Returns whether the block continues the run.
bool SoundIntake::follow(double stamp, bool follows, std::uint32_t rate) {
    const double error = stamp - clock_.expected(samples_);
    lost_.fetch_add(follows ? 0 : 1, std::memory_order_relaxed);
    if (follows && std::abs(error) <= kMaxStampError) {
        clock_.update(samples_, error);
        return true;
    }
    if (!follows && error > 0 && error < kMaxLoss) {
        clock_.skip(samples_ + std::round(error * rate));
    } else {
        clock_.jump(stamp);
    }
    return false;
}

}  // namespace verbcast

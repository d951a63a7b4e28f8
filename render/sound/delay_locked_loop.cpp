#include "render/sound/delay_locked_loop.h"

#include <algorithm>
#include <numbers>

namespace verbcast {
namespace {

constexpr double kBandwidth = 0.05;  // Hz
constexpr double kSettling = 4;      // seconds
constexpr double kLearning = 10;     // seconds
constexpr double kLeastLearning = 0.2;
constexpr double kMaxDeviation = 0.01;
constexpr double kMaxAngle = 0.4;  // radians for each stamp: stable, however seldom stamps come

}  // namespace

void DelayLockedLoop::restart(double time, double period) {
    nominal_ = period_ = period;
    jump(time);
}

void DelayLockedLoop::jump(double time) {
    time_ = time;
    age_ = 0;
}

void DelayLockedLoop::update(double counts, double error) {
    const double seconds = counts * nominal_;
    age_ += seconds;
    const double angle = std::min(2 * std::numbers::pi * kBandwidth * seconds, kMaxAngle);
    const double mean = seconds / (age_ + seconds);
    time_ = expected(counts) + std::max(std::numbers::sqrt2 * angle, mean) * error;
    if (age_ > kSettling) {
        const double learning = angle * std::clamp(kLearning / age_, kLeastLearning, 1.0);
        period_ = std::clamp(period_ + learning * learning * error / counts, nominal_ * (1 - kMaxDeviation),
                             nominal_ * (1 + kMaxDeviation));
    }
}

}  // namespace verbcast

#include "render/sound/media_tie.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

constexpr double kStep = 0.1;
constexpr double kFirstDeviation = 0.02;
constexpr double kLeastWeight = 0.002;  // errors up to this always count in full

}  // namespace

void MediaTie::add(double media, double local) {
    if (!std::isfinite(media) || !std::isfinite(local)) {
        return;
    }
    if (events_++ == 0) {
        step(media, local);
        return;
    }
    const double passed = media - media_;
    const double error = local - loop_.expected(passed);
    if (passed == 0) {
        return;
    }
    if (passed < 0 || error < -kStep || (error > kStep && late_)) {
        step(media, local);
        return;
    }
    late_ = error > kStep;
    if (late_) {
        return;
    }
    const double most = std::max(kLeastWeight, 3 * deviation_);
    deviation_ += 0.05 * (std::abs(error) - deviation_);
    loop_.update(passed, std::clamp(error, -most, most));
    media_ = media;
}

void MediaTie::step(double media, double local) {
    ++steps_;
    loop_.jump(local);
    media_ = media;
    deviation_ = kFirstDeviation;
    late_ = false;
}

}  // namespace verbcast

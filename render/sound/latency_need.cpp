#include "render/sound/latency_need.h"

#include <algorithm>

namespace verbcast {
namespace {

constexpr double kMaxNeed = 0.5;
constexpr double kMargin = 0.001;
constexpr double kHysteresis = 0.005;
constexpr int kEnoughSeconds = 4;  // to leave the worst one out

}  // namespace

void LatencyNeed::add(double need, double at, bool more) {
    if (more && pending_ <= kMaxNeed) {
        const auto number = static_cast<std::int64_t>(at);
        Second& second = seconds_[static_cast<std::uint64_t>(number) % kSeconds];
        if (second.number != number) {
            second = {number, pending_};
        }
        second.need = std::max(second.need, pending_);
        learn(number);
    }
    pending_ = more ? need : std::max(pending_, need);
}

void LatencyNeed::learn(std::int64_t now) {
    double worst = 0, next = 0;
    int count = 0;
    for (const Second& second : seconds_) {
        if (second.number < 0 || second.number + static_cast<std::int64_t>(kSeconds) <= now) {
            continue;
        }
        ++count;
        next = std::max(next, std::min(worst, second.need));
        worst = std::max(worst, second.need);
    }
    const double enough = count >= kEnoughSeconds ? next : worst;
    const double wanted = enough > 0 ? enough + kMargin : 0;
    if (wanted > wanted_ || wanted < wanted_ - kHysteresis) {
        wanted_ = wanted;
    }
    known_ = count >= kEnoughSeconds;
}

}  // namespace verbcast

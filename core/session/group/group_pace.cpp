#include "core/session/group/group_pace.h"

#include <algorithm>
#include <vector>

namespace verbcast {
namespace {

// If no interface says what it takes (loopback).
constexpr std::uint64_t kUnknownBitRate = 10'000'000'000;
// Part of a link's rate; the rest is for preambles, gaps and sessions.
constexpr double kOfLink = 0.95;
// A viewer that names a lower rate loses what comes too fast, and slows nobody down.
constexpr std::uint64_t kMinBitRate = 10'000'000;
constexpr std::uint64_t kMinPartOfOwn = 100;
constexpr double kMinShare = 1.0 / 16;
// More loss than this means too high a rate; less is left to repairs.
constexpr double kMuchLoss = 0.05;
constexpr double kSlower = 0.85, kFaster = 1.0 / 64;
constexpr double kNewest = 0.25;  // weight of the newest frame
// Sleeps end late: what was due meanwhile leaves at once, but no more than switches can hold.
constexpr TimestampNs kMaxLate = 500'000;

}  // namespace

GroupPace::GroupPace(std::uint64_t bitRate, std::uint64_t limit) : ownBitRate_(bitRate), limit_(limit) {}

void GroupPace::join(std::uint64_t viewer, std::uint64_t bitRate, TimestampNs now) {
    const std::uint64_t least = std::max(kMinBitRate, ownBitRate_ / kMinPartOfOwn);
    viewers_[viewer] = {bitRate == 0 ? 0 : std::max(bitRate, least), 0};
    boundWait(now);
}

void GroupPace::leave(std::uint64_t viewer, TimestampNs now) {
    viewers_.erase(viewer);
    boundWait(now);
}

double GroupPace::medianLoss() const {
    std::vector<double> losses;
    for (const auto& [id, viewer] : viewers_) {
        losses.push_back(viewer.loss);
    }
    if (losses.empty()) {
        return 0;
    }
    const auto middle = losses.begin() + static_cast<std::ptrdiff_t>((losses.size() - 1) / 2);
    std::ranges::nth_element(losses, middle);
    return *middle;
}

void GroupPace::frameOver(std::uint64_t viewer, double lossPart, TimestampNs now) {
    const auto found = viewers_.find(viewer);
    if (found == viewers_.end()) {
        return;
    }
    double& loss = found->second.loss;
    loss += kNewest * (std::clamp(lossPart, 0.0, 1.0) - loss);
    const auto viewers = static_cast<double>(viewers_.size());
    if (medianLoss() > kMuchLoss) {
        share_ = std::max(kMinShare, share_ * (1 - (1 - kSlower) / viewers));
    } else {
        share_ = std::min(1.0, share_ + kFaster / viewers);
    }
    boundWait(now);
}

std::uint64_t GroupPace::bytesPerSecond() const {
    std::uint64_t rate = ownBitRate_;
    const auto slowest = [&rate](std::uint64_t other) {
        rate = rate == 0 || other == 0 ? std::max(rate, other) : std::min(rate, other);
    };
    for (const auto& [id, viewer] : viewers_) {
        slowest(viewer.bitRate);
    }
    rate = rate == 0 ? kUnknownBitRate : rate;
    rate = static_cast<std::uint64_t>(static_cast<double>(rate) * kOfLink * share_);
    return std::max<std::uint64_t>(1, (limit_ == 0 ? rate : std::min(rate, limit_)) / 8);
}

TimestampNs GroupPace::timeOf(std::uint64_t bytes) const {
    return static_cast<TimestampNs>(static_cast<double>(bytes) * 1e9 / static_cast<double>(bytesPerSecond()));
}

/// Waits for the last burst at the current rate, not at the one before.
void GroupPace::boundWait(TimestampNs now) {
    readyAt_ = std::min(readyAt_, now + kAhead + timeOf(lastBytes_));
}

void GroupPace::sent(std::uint64_t bytes, TimestampNs now) {
    lastBytes_ = bytes;
    readyAt_ = std::max(readyAt_, now - kMaxLate) + timeOf(bytes);
}

}  // namespace verbcast

#include "core/multicast/group_pace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace verbcast {
namespace {

// If no interface says what it takes (loopback).
constexpr double kUnknownBitRate = 10e9;
// Part of a link's rate; the rest is for preambles, gaps and sessions.
constexpr double kOfLink = 0.95;
constexpr double kMinBitRate = 10e6;
constexpr double kMinPartOfOwn = 0.01;
constexpr double kMinShare = 1.0 / 16;
// Who wants less than this part of what most want is excluded.
constexpr double kExcluded = 1.0 / 8;
// More loss than this means too high a rate; less is left to repairs.
constexpr double kMuchLoss = 0.05;
// A viewer that loses a whole ring of frames, because its host stalled, wants less for a while, but is not
// excluded. One that loses more has no way by the group, and a lower rate helps nobody.
constexpr int kMostWholeLost = 64;
constexpr double kSlower = 0.9, kFaster = 1.0 / 64;
constexpr double kNewest = 0.25;  // weight of the newest frame
// Of another group's bytes, at most this many for each of our own keep us waiting: the smaller group gets a
// 20th of a link that both would fill.
constexpr std::uint64_t kForOneOfMore = 19;
// Sleeps end late: what was due meanwhile leaves at once, but no more than switches can hold.
constexpr TimestampNs kMaxLate = 500'000;

double firstKnown(std::uint64_t bitRate, std::uint64_t limit) {
    return bitRate != 0 ? static_cast<double>(bitRate)
           : limit != 0 ? static_cast<double>(limit) / kOfLink
                        : kUnknownBitRate;
}

}  // namespace

GroupPace::GroupPace(std::uint64_t bitRate, std::uint64_t limit)
    : ownBitRate_(firstKnown(bitRate, limit)),
      limit_(limit == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(limit) / kOfLink) {
    settle(0);
}

void GroupPace::join(std::uint64_t viewer, std::uint64_t bitRate, const std::string& host, TimestampNs now) {
    const double least = std::min(ownBitRate_, std::max(kMinBitRate, ownBitRate_ * kMinPartOfOwn));
    const double claimed = bitRate == 0 ? ownBitRate_ : static_cast<double>(bitRate);
    viewers_[viewer] = {.host = host, .bitRate = std::clamp(claimed, least, ownBitRate_)};
    settle(now);
}

void GroupPace::leave(std::uint64_t viewer, TimestampNs now) {
    viewers_.erase(viewer);
    settle(now);
}

void GroupPace::frameOver(std::uint64_t viewer, double lossPart, TimestampNs now) {
    const auto found = viewers_.find(viewer);
    if (found == viewers_.end()) {
        return;
    }
    Viewer& of = found->second;
    of.wholeLost = lossPart >= 1 ? of.wholeLost + 1 : lossPart < kGivenUp ? 0 : of.wholeLost;
    of.loss += kNewest * (std::clamp(lossPart, 0.0, 1.0) - of.loss);
    const double share =
        of.loss > kMuchLoss ? std::max(kMinShare, of.share * kSlower) : std::min(1.0, of.share + kFaster);
    if (share != std::exchange(of.share, share)) {
        settle(now);
    }
}

bool GroupPace::excludes(std::uint64_t viewer) const {
    const auto found = viewers_.find(viewer);
    return found != viewers_.end() &&
           (found->second.bitRate < bitRate_ || found->second.wants() < kExcluded * bitRate_ ||
            found->second.wholeLost > kMostWholeLost);
}

/// What at least half of the hosts want, of two the one that wants more. What is waiting waits for the last
/// burst at that rate, not at the one before.
void GroupPace::settle(TimestampNs now) {
    std::map<std::string_view, double> hosts;
    for (const auto& [id, viewer] : viewers_) {
        double& wants = hosts[viewer.host];
        wants = std::max(wants, viewer.wants());
    }
    settleHosts(hosts.size());
    std::vector<double> votes;
    votes.reserve(hosts.size());
    for (const auto& [host, wants] : hosts) {
        votes.push_back(wants);
    }
    bitRate_ = ownBitRate_;
    if (!votes.empty()) {
        const auto middle = votes.begin() + static_cast<std::ptrdiff_t>(votes.size() / 2);
        std::ranges::nth_element(votes, middle);
        bitRate_ = *middle;
    }
    bitRate_ = std::min(bitRate_, limit_);
    bytesPerSecond_ =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bitRate_ * kOfLink / 8)));
    readyAt_ = std::min(readyAt_, now + kAhead + timeOf(lastBytes_));
}

/// Since our last burst, as far as they keep us waiting after one of `bytes`.
std::uint64_t GroupPace::sentByOthers(std::uint64_t bytes) {
    const std::uint64_t before = link_->bytes.fetch_add(bytes);
    const std::uint64_t others = before - std::exchange(linkBytes_, before + bytes);
    const std::size_t theirHosts = link_->hosts - hosts_;
    return std::min(others, theirHosts > hosts_    ? bytes * kForOneOfMore
                            : theirHosts == hosts_ ? bytes
                                                   : bytes / kForOneOfMore);
}

TimestampNs GroupPace::timeOf(std::uint64_t bytes) const {
    return static_cast<TimestampNs>(static_cast<double>(bytes) * 1e9 / static_cast<double>(bytesPerSecond_));
}

void GroupPace::sent(std::uint64_t bytes, TimestampNs now) {
    lastBytes_ = bytes + sentByOthers(bytes);
    readyAt_ = std::max(readyAt_, now - kMaxLate) + timeOf(lastBytes_);
}

}  // namespace verbcast

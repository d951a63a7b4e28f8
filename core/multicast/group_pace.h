// How fast a group's frames leave: at the rate that suits most of the viewers' hosts.
//
// Viewers report what their interfaces take and what they lost. These are claims, so none counts for more
// than one host's vote: a viewer that wants much less than the others is excluded instead of slowing them
// down.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/base/os/clock.h"

namespace verbcast {

/// What all groups that leave by one link have in common. Thread-safe.
struct GroupLink {
    std::atomic<std::uint64_t> bytes{0};  ///< sent
    std::atomic<std::size_t> hosts{0};    ///< of viewers
};

/// Pure: time is passed in. Not thread-safe.
class GroupPace {
  public:
    /// `bitRate`: what our own interface takes, or 0 if it does not say: then `limit`, the user's, stands for
    /// it. Without either (0) 10 Gbit/s.
    GroupPace(std::uint64_t bitRate, std::uint64_t limit);
    ~GroupPace() { settleHosts(0); }
    GroupPace(const GroupPace&) = delete;
    GroupPace& operator=(const GroupPace&) = delete;

    /// Shares `other`'s link: of two groups that both have much to send, the one with more hosts gets 95 %.
    /// What either leaves is the other's. Call before there is a viewer.
    void shareLink(const GroupPace& other) { link_ = other.link_; }

    /// `bitRate` is the viewer's claim; 0: as ours. A low one is raised to what a slow interface may have (10
    /// Mbit/s, or a hundredth of our own). `host`: its address; of one host, the viewer that takes most
    /// counts. What waits at the old rate goes on at the new one.
    void join(std::uint64_t viewer, std::uint64_t bitRate, const std::string& host, TimestampNs now);
    void leave(std::uint64_t viewer, TimestampNs now);
    /// The loss of a frame that was given up: parts of it may have come.
    static constexpr double kGivenUp = 0.95;
    /// A frame is over for a viewer; `lossPart` of it did not arrive at first. While that is much, the viewer
    /// wants a lower rate.
    void frameOver(std::uint64_t viewer, double lossPart, TimestampNs now);
    /// Whether this viewer should get its frames another way: its interface takes less than what is sent, it
    /// loses much of what most others get, or nothing reaches it.
    bool excludes(std::uint64_t viewer) const;

    std::uint64_t bytesPerSecond() const { return bytesPerSecond_; }
    /// Bursts may leave this long before their time, so that not each costs a sleep: 300 KB at 10 Gbit/s.
    static constexpr TimestampNs kAhead = 250'000;
    /// When the next bytes may leave; in the past: now.
    TimestampNs readyAt() const { return readyAt_; }
    void sent(std::uint64_t bytes, TimestampNs now);

  private:
    struct Viewer {
        std::string host;
        double bitRate = 0;  // that its interface takes
        double loss = 0;
        double share = 1;   // of bitRate, that it wants
        int wholeLost = 0;  // frames, since some of one came
        double wants() const { return bitRate * share; }
    };
    void settle(TimestampNs now);
    void settleHosts(std::size_t hosts) { link_->hosts += hosts - std::exchange(hosts_, hosts); }
    std::uint64_t sentByOthers(std::uint64_t bytes);
    TimestampNs timeOf(std::uint64_t bytes) const;

    const double ownBitRate_;
    const double limit_;
    std::map<std::uint64_t, Viewer> viewers_;
    std::shared_ptr<GroupLink> link_ = std::make_shared<GroupLink>();
    std::size_t hosts_ = 0;
    std::uint64_t linkBytes_ = 0;  // that the link had sent with our last burst
    double bitRate_ = 0;           // of links, before what is kept for sessions
    std::uint64_t bytesPerSecond_ = 1;
    std::uint64_t lastBytes_ = 0;  // of the last burst
    TimestampNs readyAt_ = 0;
};

}  // namespace verbcast

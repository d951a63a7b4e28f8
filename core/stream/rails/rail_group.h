// What the links to one receiver that is served over several rails share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/session/trust/trust.h"
#include "core/stats/rail_stats.h"
#include "core/stream/rails/rail_queue.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// What to do with an input event that a rail has brought.
enum class RailInput {
    Take,
    TakeAnew,  ///< another rail carried input before and may have lost events: first release what is held
    Leave,     ///< late: another rail has brought later events already
};

/// Lives as long as any of the rails' links. Thread-safe.
class RailGroup {
  public:
    /// `id`: of the receiver in its audience.
    RailGroup(const RailHello& rail, std::uint64_t id, std::uint64_t instance, Policy policy,
              std::uint32_t slots)
        : stream_(rail.stream),
          mode_(rail.mode),
          count_(rail.count),
          id_(id),
          instance_(instance),
          policy_(policy),
          slots_(slots) {}

    const RailStreamId& stream() const { return stream_; }
    RailMode mode() const { return mode_; }
    std::uint8_t count() const { return count_; }
    std::uint64_t id() const { return id_; }
    Policy policy() const { return policy_; }
    /// Why a guest that names this stream cannot be its rail; "": it can.
    std::string objectionTo(const RailHello& rail, std::uint64_t instance, const PeerTrust& trust) const;

    RailQueue& queue(TrackId track);
    /// A rail has connected. Returns true if it was there before.
    bool joined(std::uint8_t rail, const ConnectionDescription& channel, const PeerTrust& trust);
    /// A rail has ended. Returns how many frames nobody has any more.
    std::uint64_t gone(std::uint8_t rail, bool lost);
    bool isUp(std::uint8_t rail) const;
    bool anyUp() const;
    void countSent(std::uint8_t rail, std::uint64_t bytes, bool first);
    /// That rail has brought an event of the viewer's input: see RailInput.
    RailInput inputBy(std::uint8_t rail, std::uint64_t sequence);
    /// That rail is about to go. Returns true if what the viewer holds must be released, because this rail
    /// carried its input or is the last.
    bool endInput(std::uint8_t rail);
    /// Set when that rail has ended: for the thread that connects it.
    const Event& ended(std::uint8_t rail) const { return ended_[rail]; }
    bool empty() const;
    bool canPush() const;
    std::vector<QueuedFrame> takeAll();
    std::vector<RailStats> stats() const;

  private:
    template <typename Visit>
    void eachQueue(Visit&& visit) const;

    const RailStreamId stream_;
    const RailMode mode_;
    const std::uint8_t count_;
    const std::uint64_t id_;
    const std::uint64_t instance_;
    const Policy policy_;
    const std::uint32_t slots_;
    mutable std::mutex mutex_;  // guards the creation of queues and the members below
    std::array<std::unique_ptr<RailQueue>, kMaxTracks> queues_;
    struct Rail {
        bool known = false, up = false, lost = false;
        ConnectionDescription channel;
        std::uint64_t timesDown = 0;
    };
    std::array<Rail, kMaxRails> rails_;
    PeerTrust trust_{};
    std::optional<std::uint8_t> inputRail_;  // that brought the newest event
    std::uint64_t inputSequence_ = 0;        // of that event
    std::atomic<std::uint32_t> present_{0};  // a bit for each of queues_; only grows
    struct Sent {
        std::atomic<std::uint64_t> frames{0}, bytes{0}, first{0};
    };
    std::array<Sent, kMaxRails> sent_;
    std::array<Event, kMaxRails> ended_;
};

}  // namespace verbcast

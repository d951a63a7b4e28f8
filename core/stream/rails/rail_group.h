// One receiver that is sent to by several rails: what its links have in common.
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

/// What to do with an event of input that a rail has brought.
enum class RailInput {
    Take,
    TakeAnew,  ///< another rail carried input before, and may have died with events: what is held is up first
    Leave,     ///< it is late: another rail has brought events that came after it
};

/// Lives as long as any of the rails' links. Safe from any thread.
class RailGroup {
  public:
    /// `id`: of the receiver among the others of its audience.
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
    /// Why a guest that names this stream cannot be its rail; "": it can.
    std::string objectionTo(const RailHello& rail, std::uint64_t instance, const PeerTrust& trust) const;

    RailQueue& queue(TrackId track);
    /// A rail begins, or has ended. True: it had been there before.
    bool joined(std::uint8_t rail, const ConnectionDescription& channel, const PeerTrust& trust);
    /// The frames that nobody has any more.
    std::uint64_t gone(std::uint8_t rail, bool lost);
    bool isUp(std::uint8_t rail) const;
    bool anyUp() const;
    void countSent(std::uint8_t rail, std::uint64_t bytes, bool first);
    /// An event of the viewer's input has come by that rail: see RailInput.
    RailInput inputBy(std::uint8_t rail, std::uint64_t sequence);
    /// That rail is about to be gone. True: what the viewer holds down is up, since this one carried its
    /// input, or it is the last.
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
    mutable std::mutex mutex_;  // guards the making of queues, and what follows
    std::array<std::unique_ptr<RailQueue>, kMaxTracks> queues_;
    struct Rail {
        bool known = false, up = false, lost = false;
        ConnectionDescription channel;
        std::uint64_t timesDown = 0;
    };
    std::array<Rail, kMaxRails> rails_;
    PeerTrust trust_{};
    std::optional<std::uint8_t> inputRail_;  // that brought the newest event
    std::uint64_t inputSequence_ = 0;        // of that
    std::atomic<std::uint32_t> present_{0};  // a bit for each of queues_; only grows
    struct Sent {
        std::atomic<std::uint64_t> frames{0}, bytes{0}, first{0};
    };
    std::array<Sent, kMaxRails> sent_;
    std::array<Event, kMaxRails> ended_;
};

}  // namespace verbcast

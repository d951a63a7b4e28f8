// A receiver that is served over several rails.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/multirail/rail_queue.h"
#include "core/session/trust/trust.h"
#include "core/stream/send/viewer.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// One link per rail. All take their frames from one queue for each track.
class RailViewer final : public Viewer {
  public:
    /// `first`: the greeting of its first rail.
    RailViewer(SenderShared& shared, std::uint64_t id, bool yields, std::shared_ptr<ViewerAccount> account,
               const Hello& first)
        : Viewer(shared, id, yields, std::move(account)), hello_(first.rail), instance_(first.instance) {}

    bool takesLink(const Hello& peer) const override;
    std::optional<Refuse> objectionTo(const Hello& peer) const override;
    std::string linkBegins(const PeerConnection& peer) override;
    void linkEnded(const Hello& peer, bool lost) override;
    std::unique_ptr<TrackQueue> makeQueue(TrackId track, TrackKind kind, const SenderLink& link) override;
    /// Any rail may take the frame, so all must know whether they can send it.
    bool mayMissFrames(TrackId /*track*/) const override { return false; }
    std::uint32_t keptSlots() const override { return RailQueue::kept(shared().slots); }
    void push(const QueuedFrame& frame) override;
    std::vector<QueuedFrame> takeUnaccepted(SenderLink& ended, bool lost) override;
    std::string nameOf(const SenderLink& link) const override;
    ReceiverStats stats(const SenderLink& link) const override;

    // For its lanes, from any thread:
    RailQueue& queue(TrackId track, const Room& room);
    /// How many frames one rail may be sending at a time.
    std::uint32_t framesAtOnce(TrackId track, const Room& room) const {
        return RailQueue::atOnce(room.slots, hello_.count, policyOf(track));
    }
    /// `first`: no rail had the frame before.
    void countSent(std::uint8_t rail, std::uint64_t bytes, bool first);

  private:
    std::string misfitOf(const RailHello& rail, std::uint64_t instance, const PeerTrust& trust) const;
    bool anyUp() const;
    template <typename Visit>
    void eachQueue(Visit&& visit) const;

    const RailHello hello_;  // what all rails say, but for the index
    const std::uint64_t instance_;
    mutable std::mutex mutex_;  // guards the creation of queues and the members below
    std::array<std::unique_ptr<RailQueue>, kMaxTracks> queues_;
    struct Rail {
        bool known = false, up = false, lost = false;
        ConnectionDescription channel;
        std::uint64_t timesDown = 0;
    };
    std::array<Rail, kMaxRails> rails_;
    PeerTrust trust_{};
    std::atomic<std::uint32_t> present_{0};  // a bit for each of queues_; only grows
    struct Sent {
        std::atomic<std::uint64_t> frames{0}, bytes{0}, first{0};
    };
    std::array<Sent, kMaxRails> sent_;
};

}  // namespace verbcast

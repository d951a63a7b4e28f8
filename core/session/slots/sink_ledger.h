// Slots and credits of one track on one connection, as its sink sees them.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/frame_pool.h"
#include "core/session/messages/messages.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Says which slots the peer may fill, checks every frame that arrives, and gives slots back as credits when
/// their leases are gone. These checks of what a peer says about slots are the only ones, whatever the
/// transport. Used by the thread that serves the link, one at a time.
class SinkLedger {
  public:
    SinkLedger(FramePath& path, TrackId track);

    TrackId track() const { return track_; }
    const FramePath& path() const { return path_; }
    bool sharesMemory() const { return shares_; }

    /// Where memory is not shared: the pool that the peer is to write into, offered as `ring` in place of the
    /// one before. Slots that a peer before held are reclaimed. Throws Error{Peer} while a frame is half
    /// received, and as FramePath::offer().
    void provide(std::shared_ptr<FramePool> pool, RingId ring);
    /// Where it is: the peer's ring; older ones stay until all their slots came back. Throws Error{Peer}.
    void takeRing(const RingMessage& message);

    /// Once the connection has ended, where memory is shared: gives up the peer's rings but for the frames
    /// that the consumer holds, of which the peer will hear one by one.
    void letGo();

    /// Once the path is gone: gives up all rings.
    void drop() { rings_.clear(); }

    bool hasRing() const { return !rings_.empty(); }
    /// The newest ring. Only when hasRing().
    RingId ring() const { return rings_.front().id; }
    const std::shared_ptr<FramePool>& pool() const { return rings_.front().pool; }
    bool knows(RingId ring) const;

    /// Of FrameHandler, for a ring that knows(). Throws Error{Peer} for a slot that the peer was not given or
    /// a payload larger than a slot.
    FrameTarget begin(RingId ring, std::uint32_t slot, const FrameInfo& info);
    FrameLease arrive(RingId ring, std::uint32_t slot, const FrameInfo& info);
    /// A frame has begun and not arrived yet.
    bool receiving() const { return receiving_; }

    /// Slots that are free again, for each ring that has at least `atLeast` of them: calls send(Credit).
    /// `nextSequence` goes with them. True when there were any.
    template <typename Send>
    bool giveCredits(std::uint64_t nextSequence, Send&& send, std::uint32_t atLeast = 1) {
        bool any = false;
        for (Ring& ring : rings_) {
            Slots& slots = ring.pool->slots();
            if (atLeast > 1 && slots.freeCount() < atLeast) {
                continue;
            }
            Credit credit;
            credit.slots.count = 0;
            slots.takeFree([&](std::uint32_t slot) {
                credit.slots.push(static_cast<std::uint16_t>(slot));
                if (ring.delivered[slot]) {
                    ring.delivered[slot] = false;
                    --ring.deliveredCount;
                }
            });
            if (credit.slots.count > 0) {
                credit.track = track_;
                credit.ring = ring.id;
                credit.nextSequence = nextSequence;
                send(credit);
                any = true;
            }
        }
        return any;
    }
    /// Whether any frame that arrived is still held by its consumer.
    bool anyDelivered() const;

    // Wake-ups for slots that become free; see Slots::freed().
    void arm() const;
    void disarm() const;
    void addDescriptors(std::vector<int>& descriptors) const;

  private:
    struct Ring {
        RingId id = 0;
        std::shared_ptr<FramePool> pool;  // shared with leases
        std::bitset<kMaxSlots> delivered{};
        std::uint32_t deliveredCount = 0;
    };
    Ring& find(RingId ring);

    FramePath& path_;
    const TrackId track_;
    const bool shares_;
    std::vector<Ring> rings_;  // newest first
    bool receiving_ = false;
};

}  // namespace verbcast

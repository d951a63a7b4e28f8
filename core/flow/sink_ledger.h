// Slots and credits of one track on one connection, as its sink sees them.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/flow/composed_slots.h"
#include "core/memory/frame_pool.h"
#include "core/session/messages/messages.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Says which slots the peer may fill, checks every frame that arrives, and gives slots back as credits once
/// their leases are gone. Whatever the transport, these are the only checks of what a peer says about slots.
/// Used by the thread that serves the link, one at a time.
class SinkLedger {
  public:
    SinkLedger(FramePath& path, TrackId track);

    TrackId track() const { return track_; }
    const FramePath& path() const { return path_; }
    bool sharesMemory() const { return shares_; }

    /// Without shared memory: offers `pool` for the peer to write into as `ring`, replacing the one before.
    /// Reclaims slots that an earlier peer held. Throws Error{Peer} while a frame is half received, and what
    /// FramePath::offer() throws.
    void provide(std::shared_ptr<FramePool> pool, RingId ring) { provide(std::move(pool), ring, {}); }
    /// The same for a ring that other senders write into, too: its credits are PlacedCredits. The part must
    /// be open.
    void provide(ComposedPart composed, RingId ring);
    /// With shared memory: takes the peer's ring; others stay while they are open, and until all their slots
    /// have come back. Throws Error{Peer}.
    void takeRing(const RingMessage& message);

    /// With shared memory, once the connection has ended: gives up the peer's rings, except for frames that
    /// the consumer holds; the peer hears of those one by one.
    void letGo();

    /// Once the path is gone: gives up all rings.
    void drop() { rings_.clear(); }

    bool hasRing() const { return !rings_.empty(); }
    /// The newest ring. Requires hasRing().
    RingId ring() const { return rings_.front().id; }
    const std::shared_ptr<FramePool>& pool() const { return rings_.front().pool; }
    bool knows(RingId ring) const { return std::ranges::find(rings_, ring, &Ring::id) != rings_.end(); }

    /// For FrameHandler, with a ring that it knows(). Throws Error{Peer} for a slot that the peer was not
    /// given or a payload larger than a slot.
    FrameTarget begin(RingId ring, std::uint32_t slot, const FrameInfo& info);
    FrameLease arrive(RingId ring, std::uint32_t slot, const FrameInfo& info);
    /// Whether a frame has begun but not arrived yet.
    bool receiving() const { return receiving_; }

    /// Gives back the free slots of each ring that has at least `atLeast` of them: calls send(Credit) or, for
    /// a composed ring, send(PlacedCredit), with `nextSequence`. Returns true if there were any.
    template <typename Send>
    bool giveCredits(std::uint64_t nextSequence, Send&& send, std::uint32_t atLeast = 1) {
        bool any = false;
        for (Ring& ring : rings_) {
            Slots& slots = ring.pool->slots();
            if (atLeast > 1 && slots.freeCount() < atLeast) {
                continue;
            }
            const auto give = [&](auto& credit) {
                for (const std::uint16_t slot : credit.slots.span()) {
                    ring.takeBack(slot);
                }
                if (credit.slots.count > 0) {
                    credit.track = track_;
                    credit.ring = ring.id;
                    credit.nextSequence = nextSequence;
                    send(credit);
                    any = true;
                }
            };
            if constexpr (std::is_invocable_v<Send, const PlacedCredit&>) {
                if (ring.composed.slots) {
                    PlacedCredit credit = ring.composed.slots->grant(ring.composed.sender);
                    give(credit);
                    continue;
                }
            }
            Credit credit;
            slots.takeFree([&](std::uint32_t slot) {
                ring.pool->endReads(slot);
                credit.slots.push(static_cast<std::uint16_t>(slot));
            });
            give(credit);
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
        ComposedPart composed{};  // without slots: nobody else writes into it

        void takeBack(std::uint32_t slot) {
            if (delivered[slot]) {
                delivered[slot] = false;
                --deliveredCount;
            }
        }
    };
    void provide(std::shared_ptr<FramePool> pool, RingId ring, ComposedPart composed);
    Ring& find(RingId ring);

    FramePath& path_;
    const TrackId track_;
    const bool shares_;
    std::vector<Ring> rings_;  // newest first
    bool receiving_ = false;
};

}  // namespace verbcast

// Slots and credits of one track on one connection, as its source sees them.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/memory/frame_pool.h"
#include "core/session/messages/messages.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Knows which slots of the peer may be written, and keeps the lease of each frame for as long as somebody
/// reads it: until the transport has sent it or, where memory is shared, until the peer's credit. Used by
/// the thread that serves the link, one at a time.
class SourceLedger {
  public:
    /// The path outlives the ledger's use, not necessarily the ledger itself.
    SourceLedger(FramePath& path, TrackId track);

    TrackId track() const { return track_; }
    bool sharesMemory() const { return shares_; }

    /// The pool of the frames that follow. `ring` names it where memory is shared, and is offered then. May
    /// throw as FramePath::prepare() and offer() do.
    void setSource(const std::shared_ptr<FramePool>& pool, RingId ring);
    const std::shared_ptr<FramePool>& source() const { return pool_; }

    /// The peer's ring, in place of the one before. Throws Error{Peer}.
    void takeRing(const RingMessage& message);
    /// Of the peer's ring; 0 where memory is shared or none was offered.
    std::uint64_t remoteSlotBytes() const { return remoteShape_.slotBytes; }

    /// Slots that came back. Calls left() for each frame that nobody reads any more. Throws
    /// Error{Peer} for a slot that the peer did not hold.
    template <typename Left>
    void takeCredit(const Credit& credit, Left&& left) {
        for (const std::uint16_t slot : credit.slots.span()) {
            if (shares_) {
                left(giveBack(credit.ring, slot));
            } else if (credit.ring == remoteRing_) {  // else on its way when the ring was replaced
                addCredit(sinkPlaces_ ? anyNotCredited() : slot);
            }
        }
    }

    /// Whether the peer has room for a frame.
    bool hasRoom() const { return shares_ || !credits_.empty(); }
    /// Slots of the peer that may be written; where memory is shared, none.
    std::size_t credits() const { return credits_.size(); }
    /// The sequence of the frame that lies in the slot into which the next one goes: of those that the peer
    /// has given, the one that holds the newest. None: nothing is known of it, or memory is shared.
    std::optional<std::uint64_t> nextSlotHolds() const;
    /// Sends the frame in `lease`, which is of source(). `blocks`, `from`: OutgoingFrame's. Ok: the lease is
    /// the ledger's now. Busy: no room, or the transport takes no more at present.
    Status send(FrameLease&& lease, const FrameInfo& info, std::span<const ByteBlock> blocks = {},
                std::span<const ByteBlock> from = {});
    /// FrameHandler::onFrameSent(): the sequence of the frame that has left. Throws Error{Internal} when the
    /// transport keeps another order.
    std::uint64_t sent(std::uint32_t localSlot);

    /// Where memory is shared, once the connection has ended: takes back the slots that the peer does not
    /// read any more, and calls left() as takeCredit() does. Descriptors to sleep on until there may be more
    /// of them; none: it reads none.
    std::vector<int> releaseUnread(const std::function<void(std::uint64_t sequence)>& left);
    /// Once the path is gone: nobody sends anything any more. Who still reads is told that the slots are
    /// `reused`.
    void drop(bool reused);

    /// Frames that are being sent or read.
    std::uint32_t inFlight() const { return static_cast<std::uint32_t>(sending_.size()) + lentCount_; }

  private:
    struct Sending {
        FrameLease lease;
        std::uint64_t sequence = 0;
    };
    /// A pool that the peer reads in place.
    struct Lent {
        RingId ring = 0;
        std::vector<std::optional<Sending>> slots{};
        std::uint32_t count = 0;
        UniqueFd lifeline{};
        std::size_t told = 0;  // slots, through the lifeline
    };

    /// The sequence of the frame that was lent in that slot, if any.
    std::optional<std::uint64_t> takeBack(Lent& lent, std::uint32_t slot);
    bool hearLifeline(Lent& lent, const std::function<void(std::uint64_t)>& left);
    std::uint64_t giveBack(RingId ring, std::uint32_t slot);
    void addCredit(std::uint32_t slot);
    std::uint32_t anyNotCredited() const;

    FramePath& path_;
    const TrackId track_;
    const bool shares_;
    const bool sinkPlaces_;
    std::shared_ptr<FramePool> pool_;  // shared with the source and with leases

    // Where memory is shared: newest first; older ones until all of their slots came back.
    std::deque<Lent> lent_;
    std::uint32_t lentCount_ = 0;

    // Elsewhere:
    RingQueue<Sending> sending_;  // in order
    RingId remoteRing_ = 0;
    RingShape remoteShape_;
    std::vector<std::uint64_t> held_;     // of each slot: 1 + the sequence of the frame in it; 0: unknown
    std::vector<std::uint16_t> credits_;  // by what they hold, the newest last
    std::bitset<kMaxSlots> credited_;     // the same as a set, to refuse double credits
};

}  // namespace verbcast

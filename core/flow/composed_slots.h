// One ring that several senders write into, each its part of every frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/memory/frame_pool.h"
#include "core/session/messages/placing.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Each sender has its own ledger of the same slots (part()), which says what it may write and which frames
/// are held. A frame is whole once leases of all ledgers are on the same slot (join()).
///
/// A place keeps its slot until the frame in it is joined, then gets another as soon as one is idle. So a
/// consumer that holds frames blocks no place for the frames that follow, unless it holds all spare slots.
///
/// A sender that is not open (its frames use a ring of their own) writes nothing into the slots: the caller
/// fills in its part.
///
/// Shared by the ledgers, the caller and, weakly, by frames. Thread-safe; the lock is held only to move a few
/// numbers.
class ComposedSlots final : public SlotKeeper {
  public:
    /// `ring`: the memory; nobody uses its slots, and it has more of them than places. `within`: what each
    /// sender may write of a slot.
    static std::shared_ptr<ComposedSlots> over(const FramePool& ring, const PlaceRule& rule,
                                               std::vector<std::vector<ByteBlock>> within);

    const PlaceRule& rule() const { return rule_; }
    const std::shared_ptr<FramePool>& part(std::size_t sender) const { return parts_[sender]; }
    std::span<const ByteBlock> within(std::size_t sender) const { return within_[sender]; }

    /// Call when a connection to a sender begins: open() if it will write, close() if not. Not while an
    /// earlier one still writes.
    void open(std::size_t sender);
    void close(std::size_t sender);

    // For the ledger of a sender that is open:
    /// Returns the slots that it may write now, with their places, and marks them as taken.
    PlacedCredit grant(std::size_t sender);
    /// Whether the slot belongs to any place.
    bool isPlaced(std::uint32_t slot) const;
    bool isPlaced(std::uint32_t slot, std::int64_t pts) const;

    /// `leases`: by sender, the lease of its part of one frame; null, or not from part(), if the part is
    /// still to be copied. Returns the frame's slot; nullopt if the parts lie in several, or an open sender
    /// may still write there.
    std::optional<std::uint32_t> slotOf(std::span<const FrameLease* const> leases) const;
    /// Replaces the leases of a frame's parts by one of the whole frame. Returns nullopt, and leaves them, if
    /// slotOf() does.
    std::optional<FrameLease> join(std::span<FrameLease* const> leases);

    void onFree(std::uint32_t slot) noexcept override;

  private:
    static constexpr std::uint16_t kNone = 0xffff;

    ComposedSlots(const PlaceRule& rule, std::vector<std::vector<ByteBlock>> within);
    void bind() noexcept;
    std::optional<std::uint32_t> commonSlot(std::span<const FrameLease* const> leases) const;

    const PlaceRule rule_;
    const std::vector<std::vector<ByteBlock>> within_;
    std::vector<std::shared_ptr<FramePool>> parts_;  // shared with ledgers and leases
    std::shared_ptr<FramePool> whole_;               // shared with leases
    mutable std::mutex mutex_;                       // guards the members below
    std::vector<bool> open_;
    std::array<std::uint16_t, kMaxSlots> placeOf_;  // by slot
    RingQueue<std::uint16_t> unbound_{kMaxSlots};   // places without a slot, oldest first
    RingQueue<std::uint16_t> idle_{kMaxSlots};      // slots without a place that nobody holds
    std::vector<std::vector<FrameLease>> kept_;     // by sender and slot: of joined frames, until bound again
};

/// A sender's part of a ComposedSlots.
struct ComposedPart {
    std::shared_ptr<ComposedSlots> slots;
    std::size_t sender = 0;
    const std::shared_ptr<FramePool>& pool() const { return slots->part(sender); }
};

}  // namespace verbcast

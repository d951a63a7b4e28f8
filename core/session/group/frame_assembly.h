// Frames of a group as they come in, at the viewer: which slot each fills, what of it is there, and when to
// ask for the rest or to give it up.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/frame_pool.h"
#include "core/session/group/group_messages.h"
#include "core/transport/frame_path.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// A frame that is coming.
struct ComingFrame {
    std::uint64_t number = 0;
    RingId ring = 0;
    std::shared_ptr<FramePool> pool{};  ///< shared: the ring's; null: no slot yet
    std::uint32_t slot = 0;
    multicast::ChunkMap map{};                                    ///< where there is a slot
    std::optional<FrameInfo> info{};                              ///< once the session has told it
    TimestampNs toldAt = 0;                                       ///< when it did
    TimestampNs chunkAt = 0;                                      ///< when the last chunk came; 0: none did
    std::uint32_t came = 0;                                       ///< chunks, by the group
    std::uint64_t request = 0;                                    ///< that waits for its answer; 0: none
    std::vector<multicast::ChunkRange> asked{};                   ///< by it
    std::optional<std::vector<multicast::ChunkRange>> written{};  ///< as the answer says
    bool writing = false;                                         ///< what is written is coming
    bool wrote = false;                                           ///< it has come
    TimestampNs askedAt = 0, answeredAt = 0;
    std::uint32_t requests = 0;
    std::uint32_t fruitless = 0;  ///< the last of them, that brought nothing
    bool more = false;            ///< the last one brought all that it asked for: the rest is due

    bool complete() const { return pool && info && map.complete() && request == 0; }
    std::byte* data() const { return pool->slotData(slot); }
};

/// Pure but for the memory that it is given: time comes in by its arguments. Frames are over in the order of
/// their numbers. Used by one thread.
class FrameAssembly {
  public:
    /// `lossless`: nothing is given up.
    FrameAssembly(std::uint32_t chunkBytes, bool lossless) : chunkBytes_(chunkBytes), lossless_(lossless) {}

    /// The ring that frames come into, in place of the one before: what was coming into that is forgotten,
    /// but for frames that the session has told of.
    void useRing(RingId ring, std::shared_ptr<FramePool> pool);

    /// The session tells of a frame. Throws Error{Peer} for numbers that do not rise, more frames than slots,
    /// or a size that does not fit.
    void tell(std::uint64_t number, RingId ring, const FrameInfo& info, TimestampNs now);

    /// Where a chunk belongs that the group brought, and its map; nothing for a chunk that is there already,
    /// of a frame that is over, or that has no place.
    ComingFrame* place(const multicast::DatagramHead& head, std::size_t payloadBytes);
    /// It is there. `frame` is what place() gave.
    void add(ComingFrame& frame, std::uint32_t chunk, TimestampNs now);
    std::uint64_t offsetOf(std::uint32_t chunk) const { return std::uint64_t{chunk} * chunkBytes_; }

    /// Of which the next chunks are likely to be: one that no repair is being written into. Null: there is
    /// none.
    const ComingFrame* expected() const;

    /// The oldest frame, when it is complete: then take it by finish().
    ComingFrame* ready();
    /// The oldest frame, when it comes too late.
    ComingFrame* late(TimestampNs now);
    void finish();

    /// The next frame of which something is to be asked for now, with its ranges in `asked` and a number in
    /// `request`. Nothing: none; `wakeAt` is when to look again, or 0.
    ComingFrame* ask(TimestampNs now, TimestampNs& wakeAt);
    /// Throws Error{Peer} for what was not asked, or differs from what is being written.
    void answered(const GroupRepaired& answer, TimestampNs now);
    /// A repair begins to come into that slot, of which request is known once it is there (it may be
    /// encrypted): until wrote() the frame is not over. Throws Error{Peer} for one that was not asked for.
    const ComingFrame& beginRepair(RingId ring, std::uint32_t slot);
    /// The frame in that slot, if a repair may be written into it.
    ComingFrame* repairing(RingId ring, std::uint32_t slot);
    /// That frame, for a repair that has come. Throws Error{Peer} for one that was not asked for.
    ComingFrame& repaired(RingId ring, std::uint32_t slot, std::uint64_t request);
    void wrote(ComingFrame& frame, TimestampNs now);

    std::size_t waiting() const { return frames_.size(); }
    /// An estimate, from requests and their answers.
    TimestampNs roundTrip() const { return roundTrip_; }

  private:
    ComingFrame* find(std::uint64_t number);
    bool giveSlot(ComingFrame& frame, std::uint64_t bytes);
    std::optional<std::uint32_t> freeSlot() const;
    void settle(ComingFrame& frame, TimestampNs now);
    TimestampNs dueAt(const ComingFrame& frame) const;

    const std::uint32_t chunkBytes_;
    const bool lossless_;
    RingId ring_ = 0;
    std::shared_ptr<FramePool> pool_;
    std::deque<ComingFrame> frames_;  // by their numbers
    std::uint64_t toldLast_ = 0;      // all before it that the session has not told of are none of ours
    std::uint64_t overLast_ = 0;
    std::uint64_t seenNewest_ = 0;  // of any chunk
    TimestampNs chunkAt_ = 0;       // of any frame
    std::uint64_t lastRequest_ = 0;
    TimestampNs roundTrip_ = 2'000'000;       // until an answer has come
    std::vector<multicast::ChunkMap> spare_;  // of frames that are over: their memory
};

}  // namespace verbcast

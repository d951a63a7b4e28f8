// Assembles a group's frames at the viewer: which slot each fills, what of it has arrived, and when to ask
// for the rest or give it up.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/os/clock.h"
#include "core/memory/frame_pool.h"
#include "core/multicast/group_messages.h"
#include "core/transport/frame_path.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// A frame that is arriving.
struct ComingFrame {
    std::uint64_t number = 0;
    RingId ring = 0;
    std::shared_ptr<FramePool> pool{};  ///< shared: the ring's; null: no slot yet
    std::uint32_t slot = 0;
    multicast::ChunkMap map{};                                    ///< valid once there is a slot
    std::optional<FrameInfo> info{};                              ///< once the session has announced it
    TimestampNs toldAt = 0;                                       ///< when it did
    TimestampNs chunkAt = 0;                                      ///< when the last chunk came; 0: none yet
    std::uint32_t came = 0;                                       ///< chunks that came by the group
    std::uint64_t request = 0;                                    ///< pending request; 0: none
    std::vector<multicast::ChunkRange> asked{};                   ///< what that asks for
    std::optional<std::vector<multicast::ChunkRange>> written{};  ///< what its answer says is written
    bool writing = false;                                         ///< a repair is being written
    bool wrote = false;                                           ///< the repair has been written
    TimestampNs askedAt = 0, answeredAt = 0;
    std::uint32_t requests = 0;
    std::uint32_t fruitless = 0;  ///< how many of the last ones brought nothing
    bool more = false;            ///< the last one brought all that it asked for: the rest is due

    bool complete() const { return pool && info && map.complete() && request == 0; }
    std::byte* data() const { return pool->slotData(slot); }
};

/// Pure except for the memory that it is given: time is passed in. Frames finish in the order of their
/// numbers. Used by one thread.
class FrameAssembly {
  public:
    /// `lossless`: gives up no frame.
    FrameAssembly(std::uint32_t chunkBytes, bool lossless) : chunkBytes_(chunkBytes), lossless_(lossless) {}

    /// Sets the ring that frames go into, replacing the one before. Forgets what was arriving there, except
    /// frames that the session has announced.
    void useRing(RingId ring, std::shared_ptr<FramePool> pool);

    /// From now on nothing comes by the group: frames are asked for as soon as they are announced.
    void leaveGroup();

    /// The session announces a frame. Throws Error{Peer} for numbers that do not rise, more frames than
    /// slots, or a size that does not fit.
    void tell(std::uint64_t number, RingId ring, const FrameInfo& info, TimestampNs now);

    /// Returns the frame that a chunk from the group belongs to; null if the chunk is there already, its
    /// frame is over, or there is no place for it.
    ComingFrame* place(const multicast::DatagramHead& head, std::size_t payloadBytes);
    /// The chunk is in place. `frame`: what place() returned.
    void add(ComingFrame& frame, std::uint32_t chunk, TimestampNs now);
    std::uint64_t offsetOf(std::uint32_t chunk) const { return std::uint64_t{chunk} * chunkBytes_; }

    /// The frame that the next chunks are likely to belong to, without a pending repair; null if there is
    /// none.
    const ComingFrame* expected() const;

    /// The oldest frame if it is complete, else null. Take it with finish().
    ComingFrame* ready();
    /// The oldest frame if it comes too late, else null.
    ComingFrame* late(TimestampNs now);
    void finish();

    /// The next frame to request chunks of now, with the ranges in `asked` and a number in `request`. Null if
    /// there is none; `wakeAt` is then when to look again, or 0.
    ComingFrame* ask(TimestampNs now, TimestampNs& wakeAt);
    /// Throws Error{Peer} for what was not asked, or differs from what is being written.
    void answered(const GroupRepaired& answer, TimestampNs now);
    /// A repair begins to arrive in that slot; for which request is known only once it is there (it may be
    /// encrypted). The frame is not over until wrote(). Throws Error{Peer} if no repair was asked for.
    const ComingFrame& beginRepair(RingId ring, std::uint32_t slot);
    /// The frame in that slot, if a repair may be written into it.
    ComingFrame* repairing(RingId ring, std::uint32_t slot);
    /// That frame, for a repair that has arrived. Throws Error{Peer} if it was not asked for.
    ComingFrame& repaired(RingId ring, std::uint32_t slot, std::uint64_t request);
    void wrote(ComingFrame& frame, TimestampNs now);

    std::size_t waiting() const { return frames_.size(); }
    /// Estimated from requests and their answers.
    TimestampNs roundTrip() const { return roundTrip_; }

  private:
    ComingFrame* find(std::uint64_t number);
    bool giveSlot(ComingFrame& frame, std::uint64_t bytes);
    std::optional<std::uint32_t> freeSlot() const;
    void settle(ComingFrame& frame, TimestampNs now);
    TimestampNs dueAt(const ComingFrame& frame) const;

    const std::uint32_t chunkBytes_;
    const bool lossless_;
    bool byGroup_ = true;
    RingId ring_ = 0;
    std::shared_ptr<FramePool> pool_;
    std::deque<ComingFrame> frames_;  // sorted by number
    std::uint64_t toldLast_ = 0;      // frames before it that were not announced are not ours
    std::uint64_t overLast_ = 0;
    std::uint64_t seenNewest_ = 0;  // of any chunk
    TimestampNs chunkAt_ = 0;       // of any frame
    std::uint64_t lastRequest_ = 0;
    TimestampNs roundTrip_ = 2'000'000;       // until the first answer
    std::vector<multicast::ChunkMap> spare_;  // memory of finished frames, for reuse
};

}  // namespace verbcast

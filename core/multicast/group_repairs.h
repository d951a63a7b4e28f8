// What one viewer of a group did not get, and asks for: written to that viewer alone, as far as its share of
// the group's rate goes, or sent to the group again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/multicast/group_channel.h"
#include "core/multicast/group_hub.h"
#include "core/multicast/stage_wait.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// A frame between send() and onFrameSent().
struct LeavingFrame {
    OutgoingFrame frame{};
    std::uint64_t number = 0;  ///< of the group; 0: sent by the inner path
    std::uint32_t chunks = 0;
    std::uint64_t lost = 0;     ///< chunks lost on the way to the viewer
    std::uint64_t written = 0;  ///< bytes of repairs
    std::uint64_t lastRequest = 0;
    std::uint32_t repairs = 0;  ///< its repairs on their way in the inner path
    bool done = false;          ///< the viewer needs nothing more
    bool givenUp = false;       ///< since it came too late
    bool over = false;          ///< and nothing reads it; it waits for those before it
};

/// Thread-bound, like the stage that it serves.
class GroupRepairs {
  public:
    /// The stage of the viewer's session.
    class Session {
      public:
        virtual ~Session() = default;
        /// Null if the viewer was not sent a frame of that number, or is told that it is over.
        virtual LeavingFrame* find(std::uint64_t number) = 0;
        /// Which of the ranges to write to the viewer alone. Not `writable`: none can be.
        virtual GroupHub::Repair choose(std::uint64_t number, std::span<const multicast::ChunkRange> ranges,
                                        bool writable) = 0;
        /// Whether a frame that was sent into that ring is not over.
        virtual bool uses(RingId ring) = 0;
        /// Writes the blocks of that frame into the viewer's ring. False: not now.
        virtual bool write(std::uint64_t number, const OutgoingFrame& repair) = 0;
    };
    /// Both must outlive this. Wakes the stage by `wait` when the viewer's share suffices again.
    GroupRepairs(Session& session, GroupChannel& channel, StageWait& wait);

    void accept(RingId ring, const RingShape& shape) { rings_.push_back({ring, shape}); }
    /// Frames on their way into that ring may still lack parts. Those come by the group: nothing more is
    /// written into the ring.
    void forget(RingId ring);
    /// The viewer asks. Throws Error{Peer} if it may not.
    void ask(const GroupMissing& message);
    /// Whether a request for parts of that frame waits.
    bool waits(std::uint64_t number);
    /// Answers as many requests as the share, which is of `hub`'s rate, and the session take. Returns whether
    /// it answered any. `alone`: the viewer has left the group, so that the whole rate is its share.
    bool write(GroupHub& hub, bool alone);

  private:
    struct Request {
        std::uint64_t frame = 0, request = 0;
        RingId ring = 0;
        std::uint32_t slot = 0;
        std::vector<multicast::ChunkRange> ranges;
        struct Choice {
            bool writable = false, alone = false;
            GroupHub::Repair repair;
        };
        std::optional<Choice> choice{};  ///< once made, also while the session has no room
    };
    struct Ring {
        RingId ring = 0;
        RingShape shape;
        bool forgotten = false;  ///< frames may still be on their way into it
    };
    bool answer(GroupHub& hub, Request& request, LeavingFrame& leaving, bool alone);

    Session& session_;
    GroupChannel& channel_;
    StageWait& wait_;
    std::vector<Ring> rings_;
    RingQueue<Request> requests_;  // waiting for the share or for room
    double share_ = 0;             // bytes that may be written to this viewer alone
    TimestampNs shareAt_ = 0;
};

}  // namespace verbcast

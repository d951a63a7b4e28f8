// Merges the frames of several rails into one stream again: each frame is passed on once, in order, from the
// rail that brought it first.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/session/messages/messages.h"
#include "core/stats/viewer_stats.h"
#include "core/stream/receive/incoming_track.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// Holds frames that are ahead of the awaited one, no more than the rails' rings have slots. Checks what a
/// rail says against what others said. Thread-safe.
class RailMerge {
  public:
    /// `tracks`: those wanted; must outlive this.
    explicit RailMerge(std::deque<IncomingTrack>& tracks) : consumers_(tracks) {}

    /// A rail begins to bring the frames of that sender (Hello::instance). If that is not the one before,
    /// numbers begin anew. Returns true if the rail was there before.
    bool joined(std::uint8_t rail, std::uint8_t count, RailMode mode, std::uint64_t instance,
                const ConnectionDescription& channel);
    void gone(std::uint8_t rail, bool lost);

    /// Call from a rail's thread. Throws Error{Peer} if another rail has brought a different frame.
    void arrived(std::uint8_t rail, std::uint64_t instance, ReceivedFrame&& frame);
    /// Throws Error{Peer} for more orders than there can be.
    void order(std::uint64_t instance, const RailOrder& order);
    /// Call when a consumer has room again: hands on what waits for it. Returns true if there was any.
    bool flush();
    /// All frames before this one have been handed on, or will not come.
    std::uint64_t next(TrackId track, std::uint64_t instance) const;
    bool empty() const;

    std::vector<RailStats> stats() const;

  private:
    struct Brought {
        std::uint64_t sequence = ~std::uint64_t{0}, payloadBytes = 0;
        std::shared_ptr<const VideoFormat> format;
    };
    struct Track {
        bool begun = false;
        std::uint64_t next = 0;
        std::map<std::uint64_t, ReceivedFrame> held;
        /// By sequence: the number after the frame that it follows (0: it follows none); the sender brings
        /// nothing in between. An earlier order is kept only while a later one waits for more than it does.
        std::map<std::uint64_t, std::uint64_t> orders;
        std::shared_ptr<const VideoFormat> format;
        std::shared_ptr<const PictureRegion> region;
        std::array<Brought, 64> brought{};  // the latest, by sequence, to compare with other rails
    };
    struct Rail {
        RailStats stats;
        bool known = false;
        std::uint64_t handedBefore = 0;  // frames handed on before this rail first came
    };
    bool handOn(Track& track);
    static bool mayFollow(const Track& track, std::uint64_t sequence);
    static void compare(Track& track, std::uint8_t rail, const ReceivedFrame& frame);

    std::deque<IncomingTrack>& consumers_;
    mutable std::mutex mutex_;  // guards the members below, and what the consumers are handed
    std::uint64_t instance_ = 0;
    std::map<TrackId, Track> tracks_;
    std::array<Rail, kMaxRails> rails_;
    std::uint8_t count_ = 0;
    RailMode mode_ = RailMode::Double;
    std::uint64_t handed_ = 0;
};

}  // namespace verbcast

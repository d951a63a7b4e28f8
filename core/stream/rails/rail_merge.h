// Frames that come by several rails, made one stream again: each is handed on once, in order, from whichever
// rail brought it first.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/messages/rail_order.h"
#include "core/stats/rail_stats.h"
#include "core/stream/frame/frame_inbox.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// Holds frames that are ahead of the one that is awaited; no more than the rails' rings have slots. What
/// rails say is checked here against what others said. All functions are safe from any thread.
class RailMerge {
  public:
    /// `handedOn`: called, one at a time, for each frame before it goes into the inbox; `missing`: for frames
    /// that will not come.
    using HandedOn = std::function<void(const ReceivedFrame& frame)>;
    using Missing =
        std::function<void(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless)>;
    /// The inbox outlives it.
    RailMerge(FrameInbox& inbox, HandedOn handedOn, Missing missing);

    /// A rail begins to bring the frames of that sender (Hello::instance); of another one than before: the
    /// numbers begin anew. True: that rail had been there before.
    bool joined(std::uint8_t rail, std::uint8_t count, RailMode mode, std::uint64_t instance,
                const ConnectionDescription& channel);
    void gone(std::uint8_t rail, bool lost);

    /// From a rail's thread. Throws Error{Peer} for a frame that another rail has brought otherwise.
    void arrived(std::uint8_t rail, std::uint64_t instance, ReceivedFrame&& frame);
    /// Throws Error{Peer} for more orders than there can be.
    void order(std::uint64_t instance, const RailOrder& order);
    /// Room in the inbox again: hands on what waits for it. True when there was any.
    bool flush();
    /// All frames before it have been handed on, or will not come.
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
        /// By their sequence: after so many frames (0: none) the sender brings nothing more before that one.
        /// A later order tells of more than those before it, which are kept only while it waits for more.
        std::map<std::uint64_t, std::uint64_t> orders;
        std::shared_ptr<const VideoFormat> format;
        std::shared_ptr<const PictureRegion> region;
        std::array<Brought, 64> brought{};  // of late, by sequence: what others say of them is compared
    };
    struct Rail {
        RailStats stats;
        bool known = false;
        std::uint64_t handedBefore = 0;  // frames of the stream before this rail was there first
    };
    bool handOn(Track& track);
    static bool mayFollow(const Track& track, std::uint64_t sequence);
    static void compare(Track& track, std::uint8_t rail, const ReceivedFrame& frame);

    FrameInbox& inbox_;
    const HandedOn handedOn_;
    const Missing missing_;
    mutable std::mutex mutex_;  // guards what follows, and the inbox's producing end
    std::uint64_t instance_ = 0;
    std::map<TrackId, Track> tracks_;
    std::array<Rail, kMaxRails> rails_;
    std::uint8_t count_ = 0;
    RailMode mode_ = RailMode::Double;
    std::uint64_t handed_ = 0;  // of the main track
};

}  // namespace verbcast

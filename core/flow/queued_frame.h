// What a broadcast hands to its receivers.
#pragma once

#include <cstdint>
#include <memory>

#include "core/memory/frame_pool.h"
#include "core/session/messages/track.h"
#include "core/video/frame_info.h"

namespace verbcast {

enum class Policy {
    Latest,    ///< live: when a receiver is not ready, its oldest unsent frame is dropped
    Lossless,  ///< nothing is dropped: the source waits for the slowest receiver
};

/// A stretch of a track in which the format stays the same, whatever pools its frames lie in.
struct Epoch {
    TrackId track = kMainTrack;
    TrackFormat format;
};

/// What a track's newest frame was like, for receivers that come before the next.
struct CurrentFormat {
    std::shared_ptr<const Epoch> epoch;  // shared by all frames of the epoch
    std::shared_ptr<FramePool> pool;     // shared with the source and the links that send from it
};

struct QueuedFrame {
    FrameLease lease;
    FrameInfo info;
    std::shared_ptr<const Epoch> epoch;  // shared by all frames of the epoch
    bool forDisplays = true;             ///< false: not for displays that show together, which have enough

    QueuedFrame share() const { return {lease.share(), info, epoch, forDisplays}; }
};

}  // namespace verbcast

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

/// A stretch of a track in which format and pool stay the same.
struct Epoch {
    TrackId track = kMainTrack;
    std::uint32_t number = 0;  ///< of the track, from 1
    TrackFormat format;
    std::shared_ptr<FramePool> pool;  // shared by the source, the epochs and the paths that read from it
};

struct QueuedFrame {
    FrameLease lease;
    FrameInfo info;
    std::shared_ptr<const Epoch> epoch;  // shared by all frames of the epoch
    bool forDisplays = true;             ///< false: not for displays that show together, which have enough

    QueuedFrame share() const { return {lease.share(), info, epoch, forDisplays}; }
};

}  // namespace verbcast

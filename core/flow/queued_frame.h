// What a broadcast hands to its receivers.
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "core/memory/frame_pool.h"
#include "core/session/messages/track.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Whether each track drops frames or waits.
struct TrackPolicies {
    Policy policy = Policy::Latest;        ///< of all tracks
    std::map<TrackId, Policy> policies{};  ///< but these

    Policy policyOf(TrackId track) const {
        const auto own = policies.find(track);
        return own != policies.end() ? own->second : policy;
    }
    /// Whether the source may have to wait.
    bool anyLossless() const {
        return !mayDrop(policy) ||
               std::ranges::any_of(policies, [](const auto& own) { return !mayDrop(own.second); });
    }
};

/// A stretch of a track in which the format stays the same, whatever pools its frames lie in.
struct Epoch {
    TrackId track = 0;
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

// What a stream hands to its consumer.
#pragma once

#include <memory>

#include "core/memory/frame_pool.h"
#include "core/session/messages/track.h"
#include "core/video/frame_info.h"
#include "core/video/picture_region.h"

namespace verbcast {

struct ReceivedFrame {
    FrameLease lease;                           ///< dropping it gives the slot back to the sender
    std::shared_ptr<const VideoFormat> format;  ///< null on tracks other than video; shared by the frames of
                                                ///< an epoch
    /// If only a part of the picture is wanted: which part the format and the lease hold; else null. Shared
    /// like the format.
    std::shared_ptr<const PictureRegion> region;
    FrameInfo info;
    TimestampNs arrivedAt = 0;    ///< our clock
    TimestampNs postedAt = 0;     ///< info.postedAt on our clock
    TimestampNs submittedAt = 0;  ///< info.submittedAt on our clock
    TimestampNs capturedAt = 0;   ///< info.capturedAt on our clock
    TimestampNs shownAt = 0;      ///< our clock: when it was shown, as the display says; 0: it does not say
    TimestampNs presentAt = 0;    ///< our clock: its time to present, for a display that is told; else 0
    TimestampNs heldFor = 0;      ///< how long it has waited for its sound
    std::uint64_t sender = 0;     ///< Hello::instance
    std::uint64_t session = 0;    ///< of its connection: FrameLockListener::onSession(); else 0
    bool lossless = false;        ///< the sender drops no frame: it waits until slots are free
    bool clockKnown = false;      ///< false: postedAt, submittedAt and capturedAt mean nothing
    std::shared_ptr<const SoundFormat> sound{};  ///< of a track of sound; shared like the format

    /// False if nothing of the wanted part fits: then there is no picture to hash, write or record.
    bool fits() const { return !region || !region->isNone(); }
};

}  // namespace verbcast

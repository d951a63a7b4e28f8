// What of a track's frames travels to one receiver.
#pragma once

#include <cstdint>
#include <optional>

#include "core/flow/queued_frame.h"
#include "core/flow/source_ledger.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// For a receiver that wants something else than whole frames, until the end of the epoch.
class FrameCut {
  public:
    virtual ~FrameCut() = default;
    /// Bytes that a slot of the receiver must have.
    virtual std::uint64_t slotBytes() const = 0;
    /// How a frame's slot follows from its time stamp; nullopt: it does not.
    virtual std::optional<PlaceRule> rule() const { return std::nullopt; }
    /// Sends it as SourceLedger::send() does. `told`: the changes that the frame is to report. `since`: what
    /// has changed since the frame that its slot holds. Sets info.payloadBytes to what the frame counts as.
    virtual Status send(SourceLedger& ledger, QueuedFrame& frame, FrameInfo& info, const PictureChanges& told,
                        const PictureChanges& since) const = 0;
};

}  // namespace verbcast

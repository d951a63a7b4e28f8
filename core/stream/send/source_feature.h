// What a sender's link does besides sending frames.
#pragma once

#include "core/flow/queued_frame.h"
#include "core/session/link_feature.h"

namespace verbcast {

class SourceFeature : public LinkFeature {
  public:
    /// From the submitting thread: whether the receiver is to get this frame.
    virtual bool wants(const QueuedFrame& /*frame*/) const { return true; }
    /// A frame is about to be sent: may complete what it says.
    virtual void beforeSend(FrameInfo& /*info*/) {}
    virtual void onSent(const FrameInfo& /*info*/) {}
    /// The receiver no longer holds any of the track's frames up to this one.
    virtual void onSlotsBack(TrackId /*track*/, std::uint64_t /*newest*/) {}
};

}  // namespace verbcast

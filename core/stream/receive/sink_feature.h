// What a receiver's link does besides receiving frames.
#pragma once

#include "core/session/link_feature.h"
#include "core/stream/frame/received_frame.h"

namespace verbcast {

class SinkFeature : public LinkFeature {
  public:
    /// A frame has arrived; its times are on our clock.
    virtual void onArrived(ReceivedFrame& /*frame*/) const {}
};

}  // namespace verbcast

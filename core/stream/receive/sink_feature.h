// What a receiver's link does besides receiving frames.
#pragma once

#include "core/flow/received_frame.h"
#include "core/session/link_feature.h"

namespace verbcast {

class SinkFeature : public LinkFeature {
  public:
    /// A frame has arrived; its times are on our clock.
    virtual void onArrived(ReceivedFrame& /*frame*/) const {}
};

}  // namespace verbcast

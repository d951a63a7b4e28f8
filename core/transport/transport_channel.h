// What the channels of transports have in common.
#pragma once

#include "core/transport/message_channel.h"

namespace verbcast {

/// A channel of which nothing special is said.
class TransportChannel : public MessageChannel {
  public:
    bool spinHelps() const override { return true; }
    void giveUpPeer() override {}
    SharedRing* sharedRing() override { return nullptr; }
};

}  // namespace verbcast

// A peer that does not speak our protocol at all.
#pragma once

#include "core/base/error.h"

namespace verbcast {

/// Thrown by MessageChannel::process() if the peer's first bytes cannot be ours.
class NotVerbcast : public Error {
  public:
    NotVerbcast() : Error(ErrorKind::Peer, "the peer does not speak verbcast's protocol") {}
};

}  // namespace verbcast

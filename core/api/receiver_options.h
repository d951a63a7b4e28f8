// Options of a vc_receiver.
#pragma once

#include "core/api/receiver.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Throws Error{Usage} for what cannot be.
ReceiverOptions receiverOptionsFrom(const vc_receiver_options* given);

}  // namespace verbcast

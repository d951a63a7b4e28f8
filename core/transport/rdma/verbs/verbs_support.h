// What a device can do, asked in more than one place.
#pragma once

#include <infiniband/verbs.h>

#include "core/transport/transport.h"

namespace verbcast {

/// RDMA WRITE with immediate is usable on the device's reliable connections.
bool hasImmediateWrites(const ibv_context* context);

/// Memory windows of type 2 can be bound on the device's reliable connections.
bool hasMemoryWindows(ibv_context* context);

/// "2 RDMA devices: mlx5_0, mlx5_1", or why there is none to use.
TransportAvailability verbsAvailability();

}  // namespace verbcast

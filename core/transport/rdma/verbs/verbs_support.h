// Device capabilities that are queried in more than one place.
#pragma once

#include <infiniband/verbs.h>

namespace verbcast {

/// RDMA WRITE with immediate is usable on the device's reliable connections.
bool hasImmediateWrites(const ibv_context* context);

/// Memory windows of type 2 can be bound on the device's reliable connections. Creates one to find out.
bool hasMemoryWindows(ibv_context* context);

}  // namespace verbcast

// The transport between processes of one user on one machine: memory that both map.
#pragma once

#include "core/transport/registry.h"

namespace verbcast {

Transport shmTransport();

}  // namespace verbcast

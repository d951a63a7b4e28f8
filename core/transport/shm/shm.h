// The transport between processes of one user on one machine: memory mapped by both.
#pragma once

#include "core/transport/registry.h"

namespace verbcast {

Transport shmTransport();

}  // namespace verbcast

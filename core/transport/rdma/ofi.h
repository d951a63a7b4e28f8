// The transport over libfabric: ofi://host:port?provider=NAME&domain=NAME&immediate=on|off. For fabrics
// without verbs; an address without a scheme never means it.
#pragma once

#include "core/transport/registry.h"

namespace verbcast {

/// In programs that were compiled without libfabric its availability() says so.
Transport ofiTransport();

}  // namespace verbcast

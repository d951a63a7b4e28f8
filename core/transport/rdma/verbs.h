// The transport over ibverbs and rdma_cm: verbs://host:port?device=NAME&port=N&gid=INDEX.
#pragma once

#include "core/transport/registry.h"

namespace verbcast {

/// In programs that were compiled without rdma-core its availability() says so.
Transport verbsTransport();

}  // namespace verbcast

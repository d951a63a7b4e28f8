// Small pieces that connecting and listening share.
#pragma once

#include "core/transport/verbs/verbs_handles.h"
#include "core/transport/verbs/verbs_options.h"

namespace verbcast {

/// Makes a lost peer known after VerbsOptions' timeout instead of 17 s. Before rdma_resolve_route (RoCE
/// derives the peer's timeout from it) and before rdma_accept.
void setAckTimeout(rdma_cm_id* id, const VerbsOptions& options);

/// Throws Error{Device} saying why verbs cannot be used on this machine.
void requireVerbs();

}  // namespace verbcast

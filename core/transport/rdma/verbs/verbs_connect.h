// Connecting and accepting over rdma_cm.
#pragma once

#include <memory>
#include <optional>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/verbs/cm_events.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/rdma/verbs/verbs_options.h"
#include "core/transport/socket_address.h"
#include "core/transport/transport.h"

namespace verbcast {

/// A queue towards that address of a peer, not yet begun. Null if `cancel` was set. Blocks while resolving
/// address and route. Throws Error{Network, Device, Resource}.
std::unique_ptr<QueuePort> openVerbsQueue(const SocketAddress& peer, const VerbsOptions& verbs,
                                          const TransportOptions& options, Deadline deadline,
                                          const Event& cancel);

/// Throws as Transport::listen does.
std::unique_ptr<PortListener> listenOnVerbs(const Url& url, const VerbsOptions& verbs,
                                            const TransportOptions& options);

/// Reports a lost peer after VerbsOptions' timeout instead of 17 s. Call before rdma_resolve_route (RoCE
/// derives the peer's timeout from it) and before rdma_accept.
void setAckTimeout(rdma_cm_id* id, const VerbsOptions& options);

/// Throws for rdma_cm's answer when it did not connect to that peer: Error{Peer} for a refusal by Verbcast,
/// else Error{Network}.
[[noreturn]] void throwConnectFailure(const CmEvent& event, const std::string& peer);
/// The same for a call that failed.
[[noreturn]] void throwConnectError(std::string_view call, int code, const std::string& peer);

/// Destroys an id whose device is being removed: the kernel waits for that.
void letDeviceGo(CmIdHandle id);

}  // namespace verbcast

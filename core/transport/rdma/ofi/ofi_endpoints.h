// The two kinds of endpoints.
//
// Connected ones (FI_EP_MSG): libfabric's own connection manager brings the two ends together.
//
// Connectionless endpoints (FI_EP_RDM: shm and the fabrics of some supercomputers). A TCP socket brings the
// two ends together: over it they exchange the addresses of their endpoints and their greetings, and it shows
// when the peer is gone. Nothing else travels there.
//
//   hello:   magic u32, kind u16 (1 hello, 2 refusal), bytes of provider, endpoint and greeting u16 each,
//            then these three
//
// Connectionless providers protect memory by its key, which nobody can guess, but not against processes that
// the system lets into ours (shm: those of the same user that may ptrace). shm 1.17 silently drops what it
// refuses, without telling either end: such a peer is only noticed by its silence.
#pragma once

#include <memory>
#include <string>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/transport/rdma/ofi/ofi_options.h"
#include "core/transport/rdma/port.h"

namespace verbcast {

/// A queue towards the peer that `info` leads to, not yet begun. Throws Error{Device, Resource}.
std::unique_ptr<QueuePort> openOfiMsgQueue(const fi_info& info, bool onlySends);
/// Throws Error{Network, Device, Resource}.
std::unique_ptr<PortListener> listenOfiMsg(const fi_info& info, const std::string& url, bool onlySends);

/// A queue towards the peer at that address, not yet begun. Null if `cancel` was set. Throws Error{Network,
/// Device, Resource}.
std::unique_ptr<QueuePort> openOfiRdmQueue(const fi_info& info, const SocketAddress& peer, bool onlySends,
                                           Deadline deadline, const Event& cancel);
/// Throws Error{Network, Device, Resource}.
std::unique_ptr<PortListener> listenOfiRdm(const fi_info& info, const SocketAddress& address,
                                           const std::string& url, bool onlySends);

}  // namespace verbcast

// Connected endpoints (FI_EP_MSG): libfabric's own connection manager brings the two ends together.
#pragma once

#include <memory>
#include <string>

#include "core/transport/rdma/ofi/ofi_options.h"
#include "core/transport/rdma/port.h"

namespace verbcast {

/// A queue towards the peer that `info` leads to, not yet begun. Throws Error{Device, Resource}.
std::unique_ptr<QueuePort> openOfiMsgQueue(const fi_info& info, bool onlySends);
/// Throws Error{Network, Device, Resource}.
std::unique_ptr<PortListener> listenOfiMsg(const fi_info& info, const std::string& url, bool onlySends);

}  // namespace verbcast

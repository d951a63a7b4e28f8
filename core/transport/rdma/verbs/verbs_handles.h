// An owner for each kind of verbs and rdma_cm object. Members of these types are declared in creation order,
// so that half-built and torn-down connections are destroyed in the right order without code.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>

namespace verbcast {

struct EventChannelDeleter {
    void operator()(rdma_event_channel* channel) const { rdma_destroy_event_channel(channel); }
};
/// All events of the id must have been acknowledged, or the destructor waits forever.
struct CmIdDeleter {
    void operator()(rdma_cm_id* id) const { rdma_destroy_id(id); }
};
struct ContextDeleter {
    void operator()(ibv_context* context) const { ibv_close_device(context); }
};
struct DeviceListDeleter {
    void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};
struct ProtectionDomainDeleter {
    void operator()(ibv_pd* domain) const { ibv_dealloc_pd(domain); }
};
struct CompletionChannelDeleter {
    void operator()(ibv_comp_channel* channel) const { ibv_destroy_comp_channel(channel); }
};
struct CompletionQueueDeleter {
    void operator()(ibv_cq* queue) const { ibv_destroy_cq(queue); }
};
struct MemoryRegionDeleter {
    void operator()(ibv_mr* region) const { ibv_dereg_mr(region); }
};
/// Also revokes the peer's access. Destroy before the region and the queue pair that it is bound to.
struct MemoryWindowDeleter {
    void operator()(ibv_mw* window) const { ibv_dealloc_mw(window); }
};
struct AddressHandleDeleter {
    void operator()(ibv_ah* handle) const { ibv_destroy_ah(handle); }
};
/// An id's queue pair is rdma_cm's to destroy: it also clears it in the id.
struct QueuePairDeleter {
    void operator()(rdma_cm_id* idWithQueuePair) const { rdma_destroy_qp(idWithQueuePair); }
};

using EventChannelHandle = std::unique_ptr<rdma_event_channel, EventChannelDeleter>;
using CmIdHandle = std::unique_ptr<rdma_cm_id, CmIdDeleter>;
using ContextHandle = std::unique_ptr<ibv_context, ContextDeleter>;
using DeviceListHandle = std::unique_ptr<ibv_device*[], DeviceListDeleter>;
using ProtectionDomainHandle = std::unique_ptr<ibv_pd, ProtectionDomainDeleter>;
using CompletionChannelHandle = std::unique_ptr<ibv_comp_channel, CompletionChannelDeleter>;
using CompletionQueueHandle = std::unique_ptr<ibv_cq, CompletionQueueDeleter>;
using MemoryRegionHandle = std::unique_ptr<ibv_mr, MemoryRegionDeleter>;
using MemoryWindowHandle = std::unique_ptr<ibv_mw, MemoryWindowDeleter>;
using AddressHandle = std::unique_ptr<ibv_ah, AddressHandleDeleter>;
using QueuePairHandle = std::unique_ptr<rdma_cm_id, QueuePairDeleter>;

}  // namespace verbcast

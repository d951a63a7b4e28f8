// An owner for each kind of verbs and rdma_cm object. Members of these types are declared in creation order,
// so that half-built and torn-down connections are destroyed in the right order without code.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>

namespace verbcast {

/// Calls that function of the library.
template <auto kDestroy>
struct Destroy {
    template <typename Object>
    void operator()(Object* object) const {
        kDestroy(object);
    }
};
/// Also revokes the peer's access. Destroy before the region and the queue pair that it is bound to.
struct MemoryWindowDeleter {
    void operator()(ibv_mw* window) const { ibv_dealloc_mw(window); }
};

using EventChannelHandle = std::unique_ptr<rdma_event_channel, Destroy<&rdma_destroy_event_channel>>;
/// All events of the id must have been acknowledged, or the destructor waits forever.
using CmIdHandle = std::unique_ptr<rdma_cm_id, Destroy<&rdma_destroy_id>>;
using ContextHandle = std::unique_ptr<ibv_context, Destroy<&ibv_close_device>>;
using DeviceListHandle = std::unique_ptr<ibv_device*[], Destroy<&ibv_free_device_list>>;
using ProtectionDomainHandle = std::unique_ptr<ibv_pd, Destroy<&ibv_dealloc_pd>>;
using CompletionChannelHandle = std::unique_ptr<ibv_comp_channel, Destroy<&ibv_destroy_comp_channel>>;
using CompletionQueueHandle = std::unique_ptr<ibv_cq, Destroy<&ibv_destroy_cq>>;
using MemoryRegionHandle = std::unique_ptr<ibv_mr, Destroy<&ibv_dereg_mr>>;
using MemoryWindowHandle = std::unique_ptr<ibv_mw, MemoryWindowDeleter>;
using AddressHandle = std::unique_ptr<ibv_ah, Destroy<&ibv_destroy_ah>>;
/// Of an id, whose queue pair is rdma_cm's to destroy: it also clears it in the id.
using QueuePairHandle = std::unique_ptr<rdma_cm_id, Destroy<&rdma_destroy_qp>>;

}  // namespace verbcast

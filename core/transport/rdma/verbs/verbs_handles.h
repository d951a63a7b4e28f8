// An owner for each kind of verbs and rdma_cm object, and their errors as ours. Members of these types are
// declared in creation order, so that half-built and torn-down connections are destroyed in the right order
// without code.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

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

// Verbs report failure in three ways: an error code as the result, -1 with errno, or a null pointer with
// errno. One helper for each turns it into an Error that names the call and the object.

/// For calls that return the error code itself (ibv_post_*, ibv_modify_qp, ibv_query_*).
void checkCode(int code, ErrorKind kind, std::string_view call, std::string_view object);
/// For calls that return -1 and set errno (rdma_*).
void checkErrno(int result, ErrorKind kind, std::string_view call, std::string_view object);
/// For calls that return null and set errno (ibv_alloc_*, ibv_create_*). Returns the pointer.
template <typename T>
T* checkPointer(T* pointer, ErrorKind kind, std::string_view call, std::string_view object) {
    if (pointer == nullptr) {
        checkErrno(-1, kind, call, object);
    }
    return pointer;
}

/// Throws Error{Internal}, naming the object.
void setNonBlocking(int descriptor, std::string_view object);

/// "transport retry counter exceeded (12): the peer or the link is gone"
std::string completionStatusText(ibv_wc_status status);

/// rdma_cm's reason for a failed connection, from an event of that type and status.
std::string cmFailureText(rdma_cm_event_type type, int status);

}  // namespace verbcast

// Verbs report failure in three ways: an error code as the result, -1 with errno, or a null pointer with
// errno. One helper for each turns it into an Error that names the call and the object.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace verbcast {

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

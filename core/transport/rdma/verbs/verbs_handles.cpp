#include "core/transport/rdma/verbs/verbs_handles.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace verbcast {
namespace {

std::string_view completionHint(ibv_wc_status status) {
    switch (status) {
        case IBV_WC_RETRY_EXC_ERR:
            return ": the peer or the link is gone";
        case IBV_WC_RNR_RETRY_EXC_ERR:
            return ": the peer posts no receives";
        case IBV_WC_REM_ACCESS_ERR:
            return ": the peer has revoked its memory";
        case IBV_WC_LOC_LEN_ERR:
            return ": the peer sent a message that is too long";
        case IBV_WC_LOC_PROT_ERR:
            return ": our memory is not registered any more";
        case IBV_WC_FATAL_ERR:
            return ": the device failed";
        default:
            return "";
    }
}

}  // namespace

void checkCode(int code, ErrorKind kind, std::string_view call, std::string_view object) {
    if (code != 0) {
        throwErrno(kind, call, object, code);
    }
}

void checkErrno(int result, ErrorKind kind, std::string_view call, std::string_view object) {
    if (result != 0) {
        throwErrno(kind, call, object, errno);
    }
}

void setNonBlocking(int descriptor, std::string_view object) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    checkErrno(std::min(::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK), 0), ErrorKind::Internal, "fcntl",
               object);
}

std::string completionStatusText(ibv_wc_status status) {
    return fmt::format("{} ({}){}", ibv_wc_status_str(status), static_cast<int>(status),
                       completionHint(status));
}

std::string cmFailureText(rdma_cm_event_type type, int status) {
    // On InfiniBand and RoCE the status of a rejection is a reason of the CM protocol (IBTA 12.6.7.2), on
    // iWARP and for all other events a negative errno.
    constexpr int kInvalidServiceId = 8;
    if (type == RDMA_CM_EVENT_REJECTED && (status == kInvalidServiceId || status == -ECONNREFUSED)) {
        return "nobody is listening there";
    }
    if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
        return "the RDMA device was removed";
    }
    if (type == RDMA_CM_EVENT_UNREACHABLE || status == -ETIMEDOUT) {
        return "no answer";
    }
    if (type == RDMA_CM_EVENT_REJECTED && status > 0) {
        return fmt::format("rejected by the peer's connection manager (reason {})", status);
    }
    return fmt::format("{}: {}", rdma_event_str(type),
                       status < 0 ? errnoText(-status) : fmt::format("status {}", status));
}

}  // namespace verbcast

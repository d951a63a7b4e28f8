#include "core/transport/rdma/verbs/cm_events.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

CmEvents::CmEvents() : channel_(rdma_create_event_channel()) {
    if (!channel_ && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        throwErrno(ErrorKind::Resource, "rdma_create_event_channel", "/dev/infiniband/rdma_cm", errno,
                   "raise the limit of open files (ulimit -n)");
    }
    if (!channel_) {
        throwErrno(ErrorKind::Device, "rdma_create_event_channel", "/dev/infiniband/rdma_cm", errno,
                   "as root: modprobe rdma_ucm");
    }
    setNonBlocking(channel_->fd, "rdma_cm event channel");
}

CmIdHandle CmEvents::makeId(rdma_port_space space, const std::string& what) const {
    rdma_cm_id* id = nullptr;
    checkErrno(rdma_create_id(channel_.get(), &id, nullptr, space), ErrorKind::Resource, "rdma_create_id",
               what);
    return CmIdHandle(id);
}

std::optional<CmEvent> CmEvents::next() {
    rdma_cm_event* raw = nullptr;
    if (rdma_get_cm_event(channel_.get(), &raw) != 0) {
        if (errno != EAGAIN && errno != EINTR) {
            const bool gone = errno == ENODEV || errno == EIO || errno == EBADF;
            throwErrno(gone ? ErrorKind::Device : ErrorKind::Resource, "rdma_get_cm_event", "rdma_cm", errno);
        }
        return std::nullopt;
    }
    CmEvent event{.type = raw->event,
                  .status = raw->status,
                  .id = raw->id,
                  .privateData = {},
                  .privateBytes = 0,
                  .group = {}};
    if (raw->event == RDMA_CM_EVENT_MULTICAST_JOIN) {
        event.group = raw->param.ud;
        event.group.private_data = nullptr;
        event.group.private_data_len = 0;
    } else if (raw->param.conn.private_data != nullptr && raw->event != RDMA_CM_EVENT_ADDR_RESOLVED &&
               raw->event != RDMA_CM_EVENT_ROUTE_RESOLVED) {
        event.privateBytes =
            std::min<std::size_t>(raw->param.conn.private_data_len, event.privateData.size());
        std::memcpy(event.privateData.data(), raw->param.conn.private_data, event.privateBytes);
    }
    rdma_ack_cm_event(raw);
    return event;
}

}  // namespace verbcast

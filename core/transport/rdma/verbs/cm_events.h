// rdma_cm events, copied out and acknowledged at once, so that no id ever waits for an acknowledgement.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

struct CmEvent {
    rdma_cm_event_type type;
    int status = 0;
    rdma_cm_id* id =
        nullptr;  ///< whose event; for a connection request the new id, which the caller now owns
    std::array<std::byte, 256> privateData{};
    std::size_t privateBytes = 0;
    rdma_ud_param group{};  ///< for RDMA_CM_EVENT_MULTICAST_JOIN; without private data

    std::span<const std::byte> privateSpan() const { return {privateData.data(), privateBytes}; }
};

/// One rdma_event_channel, non-blocking. Thread-bound.
class CmEvents {
  public:
    /// Throws Error{Device} if the kernel has no rdma_cm, Error{Resource} without descriptors.
    CmEvents();

    rdma_event_channel* get() const { return channel_.get(); }
    int descriptor() const { return channel_->fd; }
    /// An id whose events come here. Throws Error{Resource}, naming `what` it is for.
    CmIdHandle makeId(rdma_port_space space, const std::string& what) const;
    /// The next event, or nothing if there is none now. Throws Error{Device} if rdma_cm is gone,
    /// Error{Resource} if there is no memory for the event.
    std::optional<CmEvent> next();

  private:
    EventChannelHandle channel_;
};

}  // namespace verbcast

#include "core/transport/rdma/verbs/completion_queue.h"

#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

// ibv_ack_cq_events takes a mutex: call it once per this many events.
constexpr unsigned kAcknowledgeBatch = 64;

}  // namespace

CompletionQueue::CompletionQueue(ibv_context* context, int capacity)
    : channel_(checkPointer(ibv_create_comp_channel(context), ErrorKind::Device, "ibv_create_comp_channel",
                            ibv_get_device_name(context->device))),
      queue_(checkPointer(ibv_create_cq(context, capacity, nullptr, channel_.get(), 0), ErrorKind::Resource,
                          "ibv_create_cq", ibv_get_device_name(context->device))) {
    setNonBlocking(channel_->fd, "completion channel");
}

CompletionQueue::~CompletionQueue() {
    takeEvent();
    if (unacknowledged_ > 0) {
        ibv_ack_cq_events(queue_.get(), unacknowledged_);
    }
}

void CompletionQueue::takeEvent() noexcept {
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    // Arming produces at most one event.
    if (armed_ && ibv_get_cq_event(channel_.get(), &queue, &context) == 0) {
        armed_ = false;
        if (++unacknowledged_ >= kAcknowledgeBatch) {
            ibv_ack_cq_events(queue_.get(), unacknowledged_);
            unacknowledged_ = 0;
        }
    }
}

bool CompletionQueue::arm() noexcept {
    takeEvent();
    if (!armed_) {
        armed_ = ibv_req_notify_cq(queue_.get(), 0) == 0;
    }
    return armed_;
}

}  // namespace verbcast

#include "core/stream/send/viewer_input.h"

#include <utility>

#include "core/stream/send/viewer.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxPendingInput = 4096;

}  // namespace

ViewerInputs::ViewerInputs(SenderLink& link, InputQueue& queue) : link_(link), queue_(queue) {
    link_.viewer().inputTurns().join();
}

bool ViewerInputs::onMessage(MessageType type, ByteReader& reader) {
    if (type != MessageType::Input) {
        return false;
    }
    take(decodeMessage<InputMessage>(reader));
    return true;
}

void ViewerInputs::take(InputMessage&& message) {
    if ((link_.trust().grants & kMayInput) == 0) {
        return;
    }
    if (message.sequence <= last_) {
        throw peerError("the peer sent input event {} after event {}", message.sequence, last_);
    }
    last_ = message.sequence;
    const InputTurns::Turn turn = link_.viewer().inputTurns().take(link_.id(), message.sequence);
    if (turn == InputTurns::Turn::Leave) {
        return;
    }
    if (turn == InputTurns::Turn::TakeAnew) {
        release();
    }
    const std::uint64_t serial =
        queue_.push(link_.viewer().id(), link_.peer().name.value, std::move(message.event));
    if (pending_.size() == kMaxPendingInput) {
        pending_.pop_front();  // a later event tells of it, too
    }
    pending_.push_back({serial, message.sequence});
}

void ViewerInputs::beforeSend(FrameInfo& info) {
    while (!pending_.empty() && pending_.front().serial <= info.inputSequence) {
        shown_ = pending_.front().sequence;
        pending_.pop_front();
    }
    info.inputSequence = shown_;
}

void ViewerInputs::onEnd() noexcept {
    try {
        if (link_.viewer().inputTurns().leave(link_.id())) {
            release();
        }
    } catch (...) {
        // No memory: what it holds is released when the source ends.
    }
}

/// Releases all that this viewer holds down.
void ViewerInputs::release() {
    queue_.push(link_.viewer().id(), link_.peer().name.value, {.kind = InputKind::ReleaseAll});
}

}  // namespace verbcast

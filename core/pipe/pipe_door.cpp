#include "core/pipe/pipe_door.h"

#include <utility>

namespace verbcast {

PipeDoor::PipeDoor(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake,
                   ArmedEvent& changed)
    : changed_(changed),
      reception_(url, transport, handshake),
      addresses_(reception_.addresses()),
      thread_([this] { run(); }) {}

PipeDoor::~PipeDoor() {
    cancel_.notify();
}

void PipeDoor::run() {
    const auto objection = [this](const Hello&, const PeerTrust&) -> std::optional<Refuse> {
        const std::lock_guard lock(mutex_);
        return taken_ ? std::optional(Refuse{RefuseCode::Busy, "this pipe already has its other end"})
                      : std::nullopt;
    };
    try {
        while (!cancel_.isSet()) {
            if (auto guest = reception_.next(objection)) {
                const std::lock_guard lock(mutex_);
                guest_ = std::move(*guest);
                taken_ = true;  // not earlier: an admitted caller may still be dropped
                changed_.notify();
            }
            waitReadable({reception_.waitDescriptor(), cancel_.descriptor()}, reception_.nextLook());
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify();
    }
}

std::optional<Guest> PipeDoor::take() {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    return std::exchange(guest_, std::nullopt);
}

void PipeDoor::reopen() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
}

}  // namespace verbcast

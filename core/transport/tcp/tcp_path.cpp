#include "core/transport/tcp/tcp_path.h"

#include <algorithm>

#include "core/transport/path_checks.h"

namespace verbcast::tcp {

TcpPath::TcpPath(std::shared_ptr<TcpConnection> connection)
    : connection_(std::move(connection)), watch_(connection_->data()) {}

Progress TcpPath::poll() {
    if (connection_->ended()) {
        return Progress::Closed;
    }
    bool worked = writer_.flush(*connection_, *handler_);
    // A source hears of nothing here but the end; what wakes it is room.
    if (worked && !reader_.expectsFrames()) {
        arrivals_.exhausted();
    }
    if (arrivals_.expected()) {
        if (reader_.receive(*connection_, *handler_)) {
            worked = true;
        } else {
            arrivals_.exhausted();
        }
    }
    if (connection_->ended()) {
        return Progress::Closed;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

bool TcpPath::readyToSleep() {
    if (connection_->ended()) {
        return false;
    }
    reader_.setWakeThreshold(*connection_);
    watch_.wantRoom(!writer_.empty());
    return true;
}

void TcpPath::slept(bool readable) {
    arrivals_.slept(readable);
    writer_.slept(readable);
}

std::optional<Import> TcpPath::reaches(const Memory& memory) const {
    return reachedByProcessor(memory);
}

void TcpPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    requireOfferable(ring, offered_);
    if (!reachesRing(ring, *pool, *handler_)) {
        return;
    }
    if (!pool->memory()->writable()) {
        throw Error(ErrorKind::Internal, "a ring is offered that nobody can write into");
    }
    offered_ = ring;
    reader_.addRing(ring);
    handler_->onOfferReady(ring, {});
}

std::shared_ptr<FramePool> TcpPath::accept(RingId ring, const RingShape& shape,
                                           std::span<const std::byte> offer) {
    requireAcceptable(ring, accepted_, shape);
    if (!offer.empty()) {
        throw Error(ErrorKind::Peer, "the peer's offer of a ring says more than one over tcp can");
    }
    accepted_ = ring;
    targets_.push_back(ring);
    return nullptr;
}

Status TcpPath::send(const OutgoingFrame& frame) {
    if (connection_->ended()) {
        return Status::Closed;
    }
    if (writer_.full()) {
        return Status::Busy;
    }
    writer_.add(frame, requireSendable(frame, std::ranges::count(targets_, frame.ring) > 0));
    return Status::Ok;
}

}  // namespace verbcast::tcp

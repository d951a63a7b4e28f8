#include "core/pipe/pipe_link.h"

#include <utility>

namespace verbcast {
namespace {

// The goodbye shows that the failure was heard. Hanging up first could lose the failure message: over tcp a
// reset of the data connection may overtake it.
constexpr TimestampNs kGoodbyePatience = 1'000'000'000;

}  // namespace

PipeLink::PipeLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress)
    : Link(std::move(connection), options), progress_(progress) {}

void PipeLink::fail(const PipeFailure& failure) {
    {
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        failing_ = true;
    }
    wake();
}

std::optional<PipeFailure> PipeLink::peerFailure() const {
    const std::lock_guard lock(mutex_);
    return peerFailure_;
}

bool PipeLink::sendFailure() {
    if (failedAt_ != 0) {
        return false;
    }
    failedAt_ = nowNs();
    const std::lock_guard lock(mutex_);
    send(*failure_);
    return true;
}

void PipeLink::onTick(TimestampNs now) {
    if (failedAt_ != 0 && now - failedAt_ > kGoodbyePatience) {
        end(SessionEnd::Kind::Stopped, "this side failed");
    }
}

void PipeLink::onStopping() {
    if (failing_) {
        sendFailure();
    }
}

void PipeLink::sayGoodbye() {
    send(Bye{"end of stream"});
    end(SessionEnd::Kind::Orderly, "end of stream");
}

bool PipeLink::onSessionMessage(MessageType type, ByteReader& reader) {
    const auto pipeType = static_cast<PipeMessageType>(type);
    if (type == MessageType::Credit) {
        onCredit(decodeMessage<Credit>(reader));
        return true;  // the owner waits for blocks to leave, which onCredit() reports
    }
    if (type == MessageType::Ring) {
        onRing(decodeMessage<RingMessage>(reader));
    } else if (type == MessageType::Bye) {
        end(SessionEnd::Kind::Orderly, decodeMessage<Bye>(reader).reason.value);
    } else if (pipeType == PipeMessageType::Failed) {
        {
            const std::lock_guard lock(mutex_);
            peerFailure_ = decodeMessage<PipeFailure>(reader);
        }
        sayGoodbye();
    } else {
        onPipeMessage(pipeType, reader);
    }
    notifyOwner();
    return true;
}

}  // namespace verbcast

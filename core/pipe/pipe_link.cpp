#include "core/pipe/pipe_link.h"

#include <utility>

namespace verbcast {
namespace {

// The goodbye shows that the failure was heard. Hanging up first could take its words away: over tcp a reset
// of the data connection may overtake them.
constexpr TimestampNs kGoodbyePatience = 1'000'000'000;

}  // namespace

PipeLink::PipeLink(std::unique_ptr<Channel> channel, const LinkOptions& options, ArmedEvent& progress)
    : Link(std::move(channel), options), progress_(progress) {}

void PipeLink::fail(const PipeFailure& failure) {
    {
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        failing_ = true;
    }
    if (connected_) {
        wake();
    } else {
        stop(failure.text);  // nobody to wait for yet
    }
}

std::optional<PipeFailure> PipeLink::peerFailure() const {
    const std::lock_guard lock(mutex_);
    return peerFailure_;
}

void PipeLink::onReady() {
    connected_ = true;
    notifyOwner();
}

bool PipeLink::step() {
    return failing_ ? sendFailure() : move();
}

bool PipeLink::sendFailure() {
    if (failedAt_ != 0) {
        return false;
    }
    failedAt_ = nowNs();
    std::vector<std::byte> message;
    {
        const std::lock_guard lock(mutex_);
        message = encodeMessage(*failure_);
    }
    send(message);
    return true;
}

void PipeLink::onTick(TimestampNs now) {
    if (failedAt_ != 0 && now - failedAt_ > kGoodbyePatience) {
        end(LinkEnd::Kind::Stopped, "this side failed");
    }
}

void PipeLink::onStopping() {
    if (failing_) {
        sendFailure();
    }
}

void PipeLink::sayGoodbye() {
    send(encodeMessage(Bye{"end of stream"}));
    end(LinkEnd::Kind::Orderly, "end of stream");
}

void PipeLink::onSessionMessage(MessageType type, ByteReader& reader) {
    const auto pipeType = static_cast<PipeMessageType>(type);
    if (type == MessageType::Credit) {
        visitCredits(reader,
                     [this](std::uint32_t generation, std::uint32_t slot) { onCredit(generation, slot); });
        return;  // the owner waits for blocks that have left, which onCredit() tells it about
    }
    if (type == MessageType::Bye) {
        end(LinkEnd::Kind::Orderly, decodeBye(reader).reason);
    } else if (pipeType == PipeMessageType::Failed) {
        {
            const std::lock_guard lock(mutex_);
            peerFailure_ = decodePipeFailure(reader);
        }
        sayGoodbye();
    } else {
        onPipeMessage(pipeType, reader);
    }
    notifyOwner();
}

}  // namespace verbcast

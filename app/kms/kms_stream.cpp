#include "app/kms/kms_stream.h"

#include <utility>

namespace verbcast {
KmsStream::KmsStream(const ViewOptions& options, const StreamPeer& peer, const std::string& label)
    : options_(options), peer_(peer), words_(options.verbosity, label) {
    if (options.sync) {
        frameLock_ = std::make_unique<FrameLockStream>(options.receiver.slots);
    }
    if (peer.listen && peer.trust.open) {
        words_.say("open to anybody: any host that reaches the address may send (--open)");
    }
}

void KmsStream::open() {
    region_.reset();
    isNew_ = true;
    words_.opening(openingText(options_, peer_));
    receiver_ = std::make_unique<ReceiverThread>(options_, peer_, nullptr, std::move(receiver_),
                                                 ShownWith{.frameLock = frameLock_.get()});
}

void KmsStream::follow() {
    if (!receiver_ || ended_) {
        return;
    }
    receiver_->clearWake();
    const bool finished = receiver_->finished();
    const std::exception_ptr failure = finished ? receiver_->failure() : nullptr;
    const auto status = receiver_->status();
    if (words_.follow(failure, status)) {
        open();
    } else if (failure && !options_.receiver.reconnect) {
        ended_ = outcomeOf(failure);
    } else if (finished && !failure) {
        ended_ = outcomeOf(status);
    }
}

bool KmsStream::streams() const {
    if (!receiver_ || receiver_->finished()) {
        return false;
    }
    const auto status = receiver_->status();
    return status && status->state == StreamState::Streaming;
}

std::optional<ReceivedFrame> KmsStream::nextFrame() {
    ReceivedFrame frame;
    return receiver_ && receiver_->mailbox().take(frame) ? std::optional(std::move(frame)) : std::nullopt;
}

void KmsStream::shown(const ReceivedFrame& frame) {
    receiver_->frameShown(frame);
    ++shown_;
    if (options_.tile && frame.region && frame.region != region_) {
        region_ = frame.region;
        if (const std::string text = options_.tile->fitText(*region_, receiver_->misfit()); !text.empty()) {
            words_.say(text);
        }
    }
}

void KmsStream::close() {
    if (receiver_) {
        receiver_->close();
    }
}

}  // namespace verbcast

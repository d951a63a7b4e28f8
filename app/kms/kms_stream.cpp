#include "app/kms/kms_stream.h"

#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

// After a failure, such as an address of a network that is not up yet, wait rather than spin.
constexpr std::chrono::seconds kReopenAfter(2);

}  // namespace

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
    retryAt_.reset();
    region_.reset();
    finishHandled_ = false;
    isNew_ = true;
    words_.opening(openingText(options_, peer_));
    receiver_ = std::make_unique<ReceiverThread>(options_, peer_, nullptr, std::move(receiver_), nullptr,
                                                 frameLock_.get());
}

void KmsStream::follow() {
    if (!receiver_ || ended_) {
        return;
    }
    receiver_->clearWake();
    if (retryAt_) {
        if (nowNs() >= *retryAt_) {
            open();
        }
        return;
    }
    if (receiver_->finished()) {
        finish();
    } else if (const auto status = receiver_->status()) {
        words_.state(*status);
    }
}

void KmsStream::finish() {
    if (std::exchange(finishHandled_, true)) {
        return;
    }
    if (receiver_->failure()) {
        fail(receiver_->failure());
        return;
    }
    const auto status = receiver_->status();
    const bool lost = status && status->state == StreamState::Lost;
    if (status) {
        words_.state(*status);
    }
    ended_ = {.reason = lost ? "lost" : "end of stream",
              .exitCode = lost ? static_cast<int>(ErrorKind::Network) : 0};
}

void KmsStream::fail(const std::exception_ptr& failure) {
    words_.failure(failure, kReopenAfter);
    retryAt_ = nowNs() + std::chrono::nanoseconds(kReopenAfter).count();
    if (options_.receiver.reconnect) {
        return;
    }
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        ended_ = {.reason = std::string(errorKindName(error.kind())), .exitCode = error.exitCode()};
    } catch (const std::exception&) {
        ended_ = {.reason = std::string(errorKindName(ErrorKind::Internal)),
                  .exitCode = static_cast<int>(ErrorKind::Internal)};
    }
}

bool KmsStream::streams() const {
    if (!receiver_ || retryAt_ || ended_) {
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

#include "app/window/viewer_controller.h"

#include <QSocketNotifier>
#include <chrono>

#include "core/session/link_end.h"

namespace verbcast {

ViewerController::ViewerController(const ViewOptions& options) : options_(options) {
    duration_.setSingleShot(true);
    duration_.setTimerType(Qt::PreciseTimer);
    connect(&duration_, &QTimer::timeout, this, [this] { end("duration", 0); });
}

ViewerController::~ViewerController() = default;

void ViewerController::open() {
    startReceiver();
    receiver_->waitUntilOpen();
}

void ViewerController::connectTo(const Url& url, bool listen, const std::string& keyFile) {
    options_.url = url;
    options_.listen = listen;
    options_.trustChoice.keyFile = keyFile;
    // Each is for one side, or one way, alone.
    TrustChoice choice = options_.trustChoice;
    choice.open &= listen && keyFile.empty();
    choice.grants = listen ? choice.grants : "";
    try {
        options_.trust = trustFor(choice, listen, url);
    } catch (const Error&) {
        fail(std::current_exception());
        return;
    }
    reopen();
}

void ViewerController::reopen() {
    streamMessage_.reset();
    failureMessage_.reset();
    failureOutcome_.reset();
    finishHandled_ = false;
    startReceiver();
}

void ViewerController::startReceiver() {
    wake_.reset();
    receiver_ =
        std::make_unique<ReceiverThread>(receiverOptions(options_), options_.frameMd5, std::move(receiver_));
    wake_ = std::make_unique<QSocketNotifier>(receiver_->wakeDescriptor(), QSocketNotifier::Read);
    connect(wake_.get(), &QSocketNotifier::activated, this, &ViewerController::onWake);
    Q_EMIT receiverChanged();
    Q_EMIT statusChanged();
}

std::optional<Message> ViewerController::message() {
    if (failureMessage_) {
        return failureMessage_;
    }
    return streamMessage_.update(status(), nowNs());
}

void ViewerController::onWake() {
    receiver_->clearWake();
    if (outcome_) {
        return;
    }
    if (receiver_->mailbox().hasFrame()) {
        Q_EMIT frameWaiting();
    } else {
        Q_EMIT statusChanged();
    }
    if (receiver_->finished() && !finishHandled_) {
        finishHandled_ = true;
        Q_EMIT lastFrameWaiting();
        onFinished();
    }
}

void ViewerController::onFinished() {
    if (receiver_->failure()) {
        fail(receiver_->failure());
        return;
    }
    const auto status = receiver_->status();
    const bool lost = status && status->state == StreamState::Lost;
    end(lost ? "lost" : "end of stream", lost ? static_cast<int>(ErrorKind::Network) : 0);
}

void ViewerController::fail(const std::exception_ptr& failure) {
    bool stranger = false;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        stranger = dynamic_cast<const StrangerRefused*>(&error) != nullptr;
        failureMessage_ = errorMessage(error);
        if (stranger) {
            failureMessage_ = {.title = "Not paired yet",
                               .text = "The other side serves paired hosts only, and shows a code now",
                               .remedy = "Press O and connect again to type the code"};
        }
        failureOutcome_ = {.reason = std::string(errorKindName(error.kind())), .exitCode = error.exitCode()};
    } catch (const std::exception& error) {
        failureMessage_ = errorMessage(error);
        failureOutcome_ = {.reason = std::string(errorKindName(ErrorKind::Internal)),
                           .exitCode = static_cast<int>(ErrorKind::Internal)};
    }
    if (options_.once) {
        endByUser();
        return;
    }
    Q_EMIT statusChanged();
    if (stranger) {
        Q_EMIT pairingWanted();
    }
}

void ViewerController::frameShown(const ReceivedFrame& frame) {
    if (outcome_) {
        return;
    }
    receiver_->frameShown(frame);
    ++shown_;
    if (shown_ == 1 && options_.duration) {
        duration_.start(std::chrono::ceil<std::chrono::milliseconds>(*options_.duration));
    }
    if (options_.frames && shown_ >= *options_.frames) {
        end("frames", 0);
    }
}

void ViewerController::end(const std::string& reason, int exitCode) {
    if (!outcome_) {
        outcome_ = ViewOutcome{.reason = reason, .exitCode = exitCode};
        Q_EMIT ended();
    }
}

void ViewerController::endByUser() {
    if (failureOutcome_) {
        end(failureOutcome_->reason, failureOutcome_->exitCode);
    } else {
        end("closed", 0);
    }
}

}  // namespace verbcast

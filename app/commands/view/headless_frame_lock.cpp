// A stream without a window, shown together with other displays: what would be shown, and when.
#include <utility>

#include "app/commands/view/headless_stream.h"
#include "app/host/interrupt.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kPresentLook{100};
// Period while the last frames are shown.
constexpr std::chrono::milliseconds kLastFramesLook{5};

}  // namespace

HeadlessStream::HeadlessStream(const ViewOptions& options, const StreamProgress& progress,
                               std::unique_ptr<ViewedSource> stream, FrameLockStream* frameLock)
    : options_(options), progress_(progress), stream_(std::move(stream)), frameLock_(frameLock) {
    if (frameLock_ != nullptr) {
        presenting_ = std::jthread([this](const std::stop_token& stop) { presentFrameLocked(stop); });
    }
}

HeadlessStream::~HeadlessStream() {
    stopPresenting();
}

void HeadlessStream::stopPresenting() {
    presenting_.request_stop();
    stopPresenting_.notify();
    if (presenting_.joinable()) {
        presenting_.join();
    }
}

/// In a thread of its own, so that writing does not delay showing.
void HeadlessStream::presentFrameLocked(const std::stop_token& stop) {
    wakeExactly();
    std::optional<ReceivedFrame> drawn;
    while (!stop.stop_requested()) {
        waitReadable({frameLock_->descriptor(), stopPresenting_.descriptor()}, kPresentLook);
        presentDue(drawn);
    }
}

/// `drawn`: the frame that is not due yet.
void HeadlessStream::presentDue(std::optional<ReceivedFrame>& drawn) {
    for (;;) {
        if (auto next = frameLock_->next()) {
            drawn = std::move(next);
            frameLock_->drawn();
        }
        const auto due = frameLock_->dueSoon();
        if (!due) {
            return;
        }
        sleepExactly(*due);
        frameLock_->shown(nowNs(), ShownBy::Timer);
        if (drawn) {
            stream_->frameShown(*drawn);
            drawn.reset();
        }
    }
}

/// Shows the frames still held, although no more orders may come.
void HeadlessStream::presentTheRest() {
    if (frameLock_ == nullptr) {
        return;
    }
    frameLock_->release();
    while (frameLock_->anyWaiting() && !interruptEvent().isSet()) {
        waitReadable({interruptEvent().descriptor()}, kLastFramesLook);
    }
    stopPresenting();
}

}  // namespace verbcast

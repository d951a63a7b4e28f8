#include "app/view/streams/stream_intake.h"

#include <chrono>
#include <string>
#include <utility>

namespace verbcast {
namespace {

// How soon a state change without a frame is noticed.
constexpr std::chrono::milliseconds kStatePeriod{50};

}  // namespace

StreamIntake::StreamIntake(StreamViewer& viewer, std::uint32_t slots, const ShownWith& with)
    : viewer_(viewer),
      frameLock_(with.frameLock),
      skippedBefore_(frameLock_ != nullptr ? frameLock_->skipped() : 0) {
    if (with.alignment != nullptr) {
        aligned_.emplace(*with.alignment, slots,
                         [this](ReceivedFrame frame) { viewer_.show(std::move(frame)); });
    }
}

void StreamIntake::open(std::unique_ptr<ViewedSource> stream) {
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
}

ViewedSource* StreamIntake::stream() const {
    const std::lock_guard lock(mutex_);
    return stream_.get();
}

/// Takes every frame if somebody needs all, else the newest.
Status StreamIntake::run() {
    while (viewer_.wantsMore()) {
        const bool every =
            sums_ || aligned_ || (frameLock_ != nullptr && frameLock_->on()) || viewer_.needsEvery();
        ReceivedFrame frame;
        const Status status =
            every ? stream_->receive(frame, kStatePeriod) : stream_->receiveNewest(frame, kStatePeriod);
        if (status == Status::TimedOut) {
            noticeState();
        } else if (status != Status::Ok) {
            return status;
        } else if (taken(frame)) {
            place(std::move(frame));
        }
    }
    return Status::Ok;
}

const std::byte* StreamIntake::payload(const ReceivedFrame& frame) {
    if (payload_ == nullptr) {
        payload_ = host_.of(frame.lease, frame.format->payloadBytes);
    }
    return payload_;
}

/// False if the frame is not to be shown: it was not intact, or the viewer says so.
bool StreamIntake::taken(const ReceivedFrame& frame) {
    payload_ = nullptr;
    const bool hashes = sums_ && frame.fits();
    const std::string sum = hashes ? frameMd5(*frame.format, payload(frame)) : "";
    if (!viewer_.take(frame) || (hashes && !confirm(frame))) {
        return false;
    }
    if (hashes) {
        sums_->write(*frame.format, frame.info, sum);
    }
    return true;
}

void StreamIntake::place(ReceivedFrame frame) {
    if (aligned_) {
        aligned_->put(std::move(frame));
    } else if (frameLock_ != nullptr && frameLock_->takes()) {
        frameLock_->put(std::move(frame));
    } else {
        viewer_.show(std::move(frame));
    }
    tellSkipped();
}

void StreamIntake::noticeState() {
    const ReceiverStatus status = stream_->status();
    const bool changed = status.state != std::exchange(lastState_, status.state);
    if (changed && aligned_ && status.state != StreamState::Streaming) {
        aligned_->expectNone();
    }
    viewer_.onSilence(status, changed);
}

/// Frames that never reach the screen because newer ones have come: the sender is to know, too.
void StreamIntake::tellSkipped() const {
    stream_->setSkipped(viewer_.replaced() + (aligned_ ? aligned_->skipped() : 0) +
                        (frameLock_ != nullptr ? frameLock_->skipped() - skippedBefore_ : 0));
}

void StreamIntake::finish() {
    if (aligned_) {
        aligned_->expectNone();
    }
    if (frameLock_ != nullptr) {
        frameLock_->release();
    }
}

StreamStats StreamIntake::stats() const {
    StreamStats stats;
    if (ViewedSource* const stream = this->stream()) {
        tellSkipped();
        stats = stream->stats();
    }
    if (frameLock_ != nullptr) {
        stats.frameLock = frameLock_->stats();
    }
    return stats;
}

void StreamIntake::end() {
    if (ViewedSource* const stream = this->stream()) {
        tellSkipped();
        stream->end();
    }
}

}  // namespace verbcast

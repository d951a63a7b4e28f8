#include "app/view/streams/stream_intake.h"

#include <algorithm>
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
      skippedBefore_(frameLock_ != nullptr ? frameLock_->skipped() : 0),
      held_(slots) {
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

/// Takes every frame if somebody needs all, or they wait; else the newest.
Status StreamIntake::run() {
    while (viewer_.wantsMore()) {
        const bool every = sums_ || aligned_ || (frameLock_ != nullptr && frameLock_->on()) ||
                           viewer_.needsEvery() || viewer_.hold() > 0;
        ReceivedFrame frame;
        const Status status =
            every ? stream_->receive(frame, patience()) : stream_->receiveNewest(frame, patience());
        if (status == Status::TimedOut) {
            noticeState();
        } else if (status == Status::Closed) {
            noticeSound(true);
            showLastHeld();
            return status;
        } else if (status != Status::Ok) {
            return status;
        } else if (taken(frame)) {
            place(std::move(frame));
        }
        showHeld();
    }
    return Status::Ok;
}

/// Streams of pictures alone get no thread for sound. `over`: what has come may be sound that nobody has
/// noticed, of a stream as short as that.
void StreamIntake::noticeSound(bool over) {
    IncomingStream* const stream = viewer_.wantsSound() ? stream_->soundStream() : nullptr;
    if (!sound_ && stream != nullptr && (over || stream->hasSound())) {
        sound_.emplace(
            *stream, [this](const ArrivedSound& sound) { viewer_.takeSound(sound); },
            [this] { viewer_.endSound(); });
    }
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
    if (frame.format != heardOf_) {
        heardOf_ = frame.format;
        noticeSound();
    }
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
    } else if (const TimestampNs hold = viewer_.hold(); hold > 0 || !held_.empty()) {
        held_.put(std::move(frame), nowNs(), hold);
    } else {
        viewer_.show(std::move(frame));
    }
    tellSkipped();
}

std::chrono::nanoseconds StreamIntake::patience() const {
    const auto due = held_.due();
    return due ? std::clamp(std::chrono::nanoseconds(*due - nowNs()), std::chrono::nanoseconds(0),
                            std::chrono::nanoseconds(kStatePeriod))
               : kStatePeriod;
}

void StreamIntake::showHeld() {
    while (!held_.empty()) {
        auto frame = held_.takeDue(nowNs());
        if (!frame) {
            return;
        }
        viewer_.show(std::move(*frame));
    }
}

/// No more frames come, but the sound of these may.
void StreamIntake::showLastHeld() {
    while (!held_.empty() && viewer_.wantsMore()) {
        sleepExactly(*held_.due());
        showHeld();
    }
}

void StreamIntake::noticeState() {
    const ReceiverStatus status = stream_->status();
    const bool changed = status.state != std::exchange(lastState_, status.state);
    if (changed && aligned_ && status.state != StreamState::Streaming) {
        aligned_->expectNone();
    }
    noticeSound();
    viewer_.onSilence(status, changed);
}

/// Frames that never reach the screen because newer ones have come: the sender is to know, too.
void StreamIntake::tellSkipped() const {
    stream_->setSkipped(viewer_.replaced() + (aligned_ ? aligned_->skipped() : 0) +
                        (frameLock_ != nullptr ? frameLock_->skipped() - skippedBefore_ : 0));
}

void StreamIntake::finish() {
    while (auto frame = held_.takeFirst(nowNs())) {
        viewer_.show(std::move(*frame));
    }
    if (aligned_) {
        aligned_->expectNone();
    }
    if (frameLock_ != nullptr) {
        frameLock_->release();
    }
    sound_.reset();
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

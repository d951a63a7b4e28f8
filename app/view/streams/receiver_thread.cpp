#include "app/view/streams/receiver_thread.h"

#include <chrono>
#include <utility>

#include "core/memory/device_pool.h"
#include "core/video/frame_md5.h"

namespace verbcast {
namespace {

// How soon a state change without a frame is noticed.
constexpr std::chrono::milliseconds kStatePeriod{50};

}  // namespace

ReceiverThread::ReceiverThread(const ViewOptions& options, const StreamPeer& peer,
                               std::shared_ptr<Recorder> recorder, std::unique_ptr<ReceiverThread> previous,
                               SharedAlignment* alignment, FrameLockStream* frameLock)
    : slots_(options.receiver.slots),
      opens_([options, peer, frameLock] { return openStream(options, peer, frameLock); }),
      frameMd5_(options.frameMd5),
      recorder_(std::move(recorder)),
      frameLock_(frameLock),
      skippedBefore_(frameLock != nullptr ? frameLock->skipped() : 0) {
    start(std::move(previous), alignment);
}

ReceiverThread::ReceiverThread(std::shared_ptr<IncomingStream> accepted, std::uint32_t slots,
                               std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment)
    : slots_(slots), stream_(std::make_unique<SenderStream>(std::move(accepted))) {
    start(std::move(previous), alignment);
}

void ReceiverThread::start(std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment) {
    if (alignment != nullptr) {
        aligned_.emplace(*alignment, slots_, [this](ReceivedFrame frame) { mailbox_.put(std::move(frame)); });
    }
    if (previous) {
        previous->cancel();
    }
    thread_ = std::jthread([this, last = std::move(previous)](const std::stop_token& stop) mutable {
        run(std::move(last), stop);
    });
}

ReceiverThread::~ReceiverThread() {
    cancel();
}

void ReceiverThread::waitUntilOpen() {
    opened_.get_future().get();
}

void ReceiverThread::cancel() {
    cancelled_.store(true, std::memory_order_release);
    thread_.request_stop();
    const std::lock_guard lock(mutex_);
    if (stream_) {
        tellSkipped();
        stream_->end();
    }
}

void ReceiverThread::close() {
    cancel();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void ReceiverThread::frameShown(const ReceivedFrame& frame) {
    // A frame was received, so stream_ was set, once and for all, before this thread saw the frame.
    stream_->frameShown(frame);
}

std::uint64_t ReceiverThread::sendInput(const InputEvent& event) {
    const std::lock_guard lock(mutex_);
    return stream_ ? stream_->sendInput(event) : 0;
}

bool ReceiverThread::inputAllowed() const {
    const std::lock_guard lock(mutex_);
    return stream_ && stream_->inputAllowed();
}

std::optional<ReceiverStatus> ReceiverThread::status() const {
    const std::lock_guard lock(mutex_);
    if (!stream_) {
        return std::nullopt;
    }
    return stream_->status();
}

StreamStats ReceiverThread::stats() const {
    const std::lock_guard lock(mutex_);
    if (stream_) {
        tellSkipped();
    }
    StreamStats stats = stream_ ? stream_->stats() : StreamStats{};
    if (frameLock_ != nullptr) {
        stats.frameLock = frameLock_->stats();
    }
    return stats;
}

/// Frames that never reach the screen because newer ones have come: the sender is to know, too.
void ReceiverThread::tellSkipped() const {
    stream_->setSkipped(mailbox_.replaced() + (aligned_ ? aligned_->skipped() : 0) +
                        (frameLock_ != nullptr ? frameLock_->skipped() - skippedBefore_ : 0));
}

std::string ReceiverThread::misfit() const {
    const std::lock_guard lock(mutex_);
    return stream_ ? stream_->misfit() : std::string();
}

void ReceiverThread::run(std::unique_ptr<ReceiverThread> previous, const std::stop_token& stop) {
    if (previous) {
        previous->close();
        sums_ = std::move(previous->sums_);
        previous.reset();
    }
    try {
        if (open()) {
            drain(stop);
        }
        if (sums_) {
            sums_->flush();
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (aligned_) {
        aligned_->expectNone();
    }
    if (frameLock_ != nullptr) {
        frameLock_->release();
    }
    finished_.store(true, std::memory_order_release);
    wake_.notify();
}

bool ReceiverThread::open() {
    try {
        if (!frameMd5_.empty() && !sums_) {
            sums_ = std::make_unique<FrameMd5Writer>(frameMd5_);
        }
        if (!stream_) {
            auto stream = opens_();
            const std::lock_guard lock(mutex_);
            stream_ = std::move(stream);
        }
    } catch (...) {
        opened_.set_exception(std::current_exception());
        throw;
    }
    if (IncomingStream* confirms = stream_->stream()) {
        mailbox_.belongsTo(*confirms);
    }
    opened_.set_value();
    wake_.notify();
    return !cancelled_.load(std::memory_order_acquire);
}

void ReceiverThread::record(std::shared_ptr<Recorder> recorder) {
    const std::lock_guard lock(recorderMutex_);
    recorder_ = std::move(recorder);
}

std::shared_ptr<Recorder> ReceiverThread::recorder() const {
    const std::lock_guard lock(recorderMutex_);
    return recorder_;
}

/// Takes every frame if somebody needs all, else the newest.
void ReceiverThread::drain(const std::stop_token& stop) {
    while (!cancelled_.load(std::memory_order_relaxed)) {
        const bool all = sums_ || aligned_ || isFrameLocked() || recorder();
        ReceivedFrame frame;
        const Status status =
            all ? stream_->receive(frame, kStatePeriod) : stream_->receiveNewest(frame, kStatePeriod);
        if (status == Status::TimedOut) {
            noticeState();
            continue;
        }
        if (status != Status::Ok) {
            return;
        }
        if (sums_ && frame.fits() && !hashed(frame)) {
            continue;
        }
        if (const auto taker = recorder(); taker && frame.fits()) {
            taker->put(frame, stop);
        }
        deliver(std::move(frame));
    }
}

/// False if the frame was not intact.
bool ReceiverThread::hashed(const ReceivedFrame& frame) {
    const std::string sum = frameMd5(*frame.format, payload_.of(frame.lease, frame.format->payloadBytes));
    if (!stream_->confirm(frame)) {
        return false;
    }
    sums_->write(*frame.format, frame.info, sum);
    return true;
}

void ReceiverThread::deliver(ReceivedFrame frame) {
    if (aligned_) {
        aligned_->put(std::move(frame));
    } else if (frameLock_ != nullptr && frameLock_->takes()) {
        frameLock_->put(std::move(frame));
    } else if (mailbox_.put(std::move(frame))) {
        wake_.notify();
    }
    tellSkipped();
}

void ReceiverThread::noticeState() {
    const StreamState state = stream_->status().state;
    if (state != std::exchange(lastState_, state)) {
        if (aligned_ && state != StreamState::Streaming) {
            aligned_->expectNone();
        }
        wake_.notify();
    }
}

}  // namespace verbcast

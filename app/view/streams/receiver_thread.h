// The thread that takes frames from the network and leaves the newest for the screen.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/view/recording/recorder.h"
#include "app/view/shared_alignment.h"
#include "app/view/source/viewed_stream.h"
#include "app/view/streams/frame_mailbox.h"
#include "app/view/together_stream.h"
#include "app/view/view_options.h"
#include "core/base/event.h"
#include "core/session/messages/input.h"

namespace verbcast {

/// Owns a stream, opens it, drains it and closes it, all off the caller's thread.
///
/// All functions may be called from the GUI thread; none waits for the network but waitUntilOpen() and the
/// destructor. The wake descriptor becomes readable when a frame is put into an empty mailbox and when the
/// state changes.
class ReceiverThread {
  public:
    /// `previous`, if any, is closed first (it may hold the same address); the new receiver opens after that.
    /// With ViewOptions::frameMd5 every frame is hashed, with a recorder (which outlives this) every one is
    /// written, in order; else only the newest is taken. With an `alignment`, which outlives this, every one
    /// is taken, and put into the mailbox by SharedAlignment::showDue() when it is due. The same with
    /// `together`, where the frames go while the sender says when to show them.
    ReceiverThread(const ViewOptions& options, const StreamPeer& peer, Recorder* recorder,
                   std::unique_ptr<ReceiverThread> previous = nullptr, SharedAlignment* alignment = nullptr,
                   TogetherStream* together = nullptr);
    /// The same of a stream whose sender has called, and which holds so many slots. Only its newest frames
    /// are taken, but with an alignment.
    ReceiverThread(std::shared_ptr<IncomingStream> accepted, std::uint32_t slots,
                   std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment = nullptr);
    ~ReceiverThread();

    /// Waits until the address is in use. Throws what the receiver threw when it could not be used.
    void waitUntilOpen();

    FrameMailbox& mailbox() { return mailbox_; }
    int wakeDescriptor() const { return wake_.descriptor(); }
    void clearWake() { wake_.clear(); }

    void frameShown(const ReceivedFrame& frame);

    /// See FrameReceiver. 0 and false while the address is being opened.
    std::uint64_t sendInput(const InputEvent& event);
    bool inputAllowed() const;

    /// Nothing while the address is being opened.
    std::optional<ReceiverStatus> status() const;
    /// Frames replaced in the mailbox count as skipped.
    StreamStats stats() const;
    /// Nothing without an alignment.
    std::optional<StreamAlignment> alignment() const {
        return aligned_ ? std::optional(aligned_->stats()) : std::nullopt;
    }

    /// See ViewedSource.
    std::string misfit() const;

    /// No more frames will come: the stream ended for good, or failure() says why.
    bool finished() const { return finished_.load(std::memory_order_acquire); }
    /// Valid once finished().
    std::exception_ptr failure() const { return failure_; }

    /// Starts to close; returns at once.
    void cancel();
    /// Waits until nothing is received any more; what was received stays.
    void close();

  private:
    void start(std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment);
    void run(std::unique_ptr<ReceiverThread> previous, const std::stop_token& stop);
    bool open();
    void drain();
    void drainAll(const std::stop_token& stop);
    void deliver(ReceivedFrame frame);
    void noticeState();
    bool showsTogether() const { return together_ != nullptr && together_->on(); }

    const std::uint32_t slots_;
    std::function<std::unique_ptr<ViewedSource>()> opens_;  // empty: it is there
    std::string frameMd5_;
    Recorder* recorder_ = nullptr;
    Event wake_;
    FrameMailbox mailbox_;
    std::optional<AlignedStream> aligned_;
    TogetherStream* together_ = nullptr;
    mutable std::mutex mutex_;  // guards stream_ until it is set, which happens once
    std::unique_ptr<ViewedSource> stream_;
    std::atomic<bool> cancelled_{false};
    std::atomic<bool> finished_{false};
    std::exception_ptr failure_;
    StreamState lastState_ = StreamState::Waiting;
    std::promise<void> opened_;
    std::jthread thread_;
};

}  // namespace verbcast

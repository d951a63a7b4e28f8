// The thread that takes frames from the network and leaves the newest one for the screen.
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

#include "app/view/frame_lock_stream.h"
#include "app/view/recording/recorder.h"
#include "app/view/shared_alignment.h"
#include "app/view/source/viewed_stream.h"
#include "app/view/streams/frame_mailbox.h"
#include "app/view/view_options.h"
#include "core/base/os/event.h"
#include "core/session/messages/input.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// Opens, drains and closes a stream, off the caller's thread.
///
/// All functions may be called from the GUI thread; only waitUntilOpen(), close() and the destructor wait for
/// the network. The wake descriptor becomes readable when a frame enters an empty mailbox or the state
/// changes.
class ReceiverThread {
  public:
    /// Closes `previous` first, if any, since it may hold the same address. With ViewOptions::frameMd5 every
    /// frame is hashed, into the file that `previous` has begun; with a recorder
    /// every frame is written in order; otherwise only the newest is taken. With an `alignment`, which must
    /// outlive this, every frame is taken, and SharedAlignment::showDue() puts it into the mailbox when it is
    /// due. `together` likewise takes the frames while the sender says when to show them.
    ReceiverThread(const ViewOptions& options, const StreamPeer& peer, std::shared_ptr<Recorder> recorder,
                   std::unique_ptr<ReceiverThread> previous = nullptr, SharedAlignment* alignment = nullptr,
                   FrameLockStream* frameLock = nullptr);
    /// The same for a sender that called, whose stream has that many slots. Only the newest frames are taken,
    /// except with an alignment.
    ReceiverThread(std::shared_ptr<IncomingStream> accepted, std::uint32_t slots,
                   std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment = nullptr);
    ~ReceiverThread();

    /// Waits until the address is open. Throws what the receiver threw if it could not be opened.
    void waitUntilOpen();

    FrameMailbox& mailbox() { return mailbox_; }
    int wakeDescriptor() const { return wake_.descriptor(); }
    void clearWake() { wake_.clear(); }

    void frameShown(const ReceivedFrame& frame);

    /// From now on every frame is recorded there, or with null none. The recorder before may be given one
    /// frame more. Thread-safe.
    void record(std::shared_ptr<Recorder> recorder);

    /// See FrameReceiver. Return 0 and false while the address is being opened.
    std::uint64_t sendInput(const InputEvent& event);
    bool inputAllowed() const;

    /// Returns nullopt while the address is being opened.
    std::optional<ReceiverStatus> status() const;
    StreamStats stats() const;
    /// Returns nullopt without an alignment.
    std::optional<StreamAlignment> alignment() const {
        return aligned_ ? std::optional(aligned_->stats()) : std::nullopt;
    }

    /// See ViewedSource.
    std::string misfit() const;

    /// No more frames will come: the stream has ended for good, or failure() says why.
    bool finished() const { return finished_.load(std::memory_order_acquire); }
    /// Valid once finished().
    std::exception_ptr failure() const { return failure_; }

    /// Starts closing; returns at once.
    void cancel();
    /// Waits until nothing more is received; frames already received stay valid.
    void close();

  private:
    void start(std::unique_ptr<ReceiverThread> previous, SharedAlignment* alignment);
    void run(std::unique_ptr<ReceiverThread> previous, const std::stop_token& stop);
    bool open();
    void drain(const std::stop_token& stop);
    bool hashed(const ReceivedFrame& frame);
    std::shared_ptr<Recorder> recorder() const;
    void deliver(ReceivedFrame frame);
    void noticeState();
    void tellSkipped() const;
    bool isFrameLocked() const { return frameLock_ != nullptr && frameLock_->on(); }

    const std::uint32_t slots_;
    std::function<std::unique_ptr<ViewedSource>()> opens_;  // empty: the stream exists already
    std::string frameMd5_;
    HostPayload payload_;
    std::unique_ptr<FrameMd5Writer> sums_;  // null: none yet; handed on to the next of these
    mutable std::mutex recorderMutex_;      // guards recorder_
    std::shared_ptr<Recorder> recorder_;    // shared with who finishes the recording; null: none
    Event wake_;
    FrameMailbox mailbox_;
    std::optional<AlignedStream> aligned_;
    FrameLockStream* frameLock_ = nullptr;
    std::uint64_t skippedBefore_ = 0;  // by frameLock_, of streams before this one
    mutable std::mutex mutex_;         // guards stream_ until it is set, once
    std::unique_ptr<ViewedSource> stream_;
    std::atomic<bool> cancelled_{false};
    std::atomic<bool> finished_{false};
    std::exception_ptr failure_;
    StreamState lastState_ = StreamState::Waiting;
    std::promise<void> opened_;
    std::jthread thread_;
};

}  // namespace verbcast

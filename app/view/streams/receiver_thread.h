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
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/view/recording/recorder.h"
#include "app/view/sound/stream_sound.h"
#include "app/view/streams/frame_mailbox.h"
#include "app/view/streams/stream_intake.h"
#include "app/view/view_options.h"
#include "core/base/os/event.h"
#include "core/session/messages/input.h"

namespace verbcast {

/// Opens, drains and closes a stream, off the caller's thread.
///
/// All functions may be called from the GUI thread; only waitUntilOpen(), close() and the destructor wait for
/// the network. The wake descriptor becomes readable when a frame enters an empty mailbox or the state
/// changes.
class ReceiverThread final : private StreamViewer {
  public:
    /// Closes `previous` first, if any, since it may hold the same address. With ViewOptions::frameMd5 every
    /// frame is hashed, into the file that `previous` has begun; with a recorder every frame is written in
    /// order; otherwise only the newest is taken. With an alignment every frame is taken, and
    /// SharedAlignment::showDue() puts it into the mailbox when it is due. A FrameLockStream likewise takes
    /// the frames while the sender says when to show them.
    ReceiverThread(const ViewOptions& options, const StreamPeer& peer, std::shared_ptr<Recorder> recorder,
                   std::unique_ptr<ReceiverThread> previous = nullptr, const ShownWith& with = {});
    /// The same for a sender that called. Only the newest frames are taken, except with an alignment.
    ReceiverThread(const ViewOptions& options, std::shared_ptr<IncomingStream> accepted,
                   std::unique_ptr<ReceiverThread> previous, const ShownWith& with);
    ~ReceiverThread() override;

    /// Waits until the address is open. Throws what the receiver threw if it could not be opened.
    void waitUntilOpen();

    FrameMailbox& mailbox() { return mailbox_; }
    int wakeDescriptor() const { return wake_.descriptor(); }
    void clearWake() { wake_.clear(); }

    void frameShown(const ReceivedFrame& frame);

    // The sound that belongs to the pictures; thread-safe. Pictures wait for it while it plays.
    void controlSound(const SoundControls& controls);
    /// See SoundPlayer.
    std::vector<float> takeSoundPeaks() { return sound_ ? sound_->takePeaks() : std::vector<float>(); }

    /// From now on every frame is recorded there, or with null none. The recorder before may be given one
    /// frame more. Thread-safe.
    void record(std::shared_ptr<Recorder> recorder);

    /// See FrameReceiver. Return 0 and false while the address is being opened.
    std::uint64_t sendInput(const InputEvent& event) { return stream() ? stream()->sendInput(event) : 0; }
    bool inputAllowed() const { return stream() && stream()->inputAllowed(); }

    /// Returns nullopt while the address is being opened.
    std::optional<ReceiverStatus> status() const {
        return stream() ? std::optional(stream()->status()) : std::nullopt;
    }
    StreamStats stats() const;
    std::optional<StreamAlignment> alignment() const { return intake_.alignment(); }
    /// See ViewedSource. Call once a frame was shown.
    std::string misfit() const { return stream()->misfit(); }

    /// No more frames will come: the stream has ended for good, or failure() says why.
    bool finished() const { return finished_.load(std::memory_order_acquire); }
    /// Valid once finished().
    std::exception_ptr failure() const { return failure_; }

    /// Starts closing; returns at once.
    void cancel();
    /// Waits until nothing more is received; frames already received stay valid.
    void close();

  private:
    void start(std::unique_ptr<ReceiverThread> previous);
    void run(std::unique_ptr<ReceiverThread> previous);
    void open();
    std::shared_ptr<Recorder> recorder() const;
    ViewedSource* stream() const { return intake_.stream(); }

    bool wantsMore() override { return !stop_.stop_requested(); }
    bool needsEvery() const override { return recorder() != nullptr; }
    TimestampNs hold() const override { return sound_ ? sound_->hold() : 0; }
    bool take(const ReceivedFrame& frame) override;
    void show(ReceivedFrame frame) override;
    void onSilence(const ReceiverStatus& status, bool changed) override;
    std::uint64_t replaced() const override { return mailbox_.replaced(); }
    bool wantsSound() const override { return sound_ || soundTaker_ != nullptr; }
    void takeSound(const ArrivedSound& sound) override;

    std::function<std::unique_ptr<ViewedSource>()> opens_;
    std::string frameMd5_;
    mutable std::mutex recorderMutex_;    // guards recorder_
    std::shared_ptr<Recorder> recorder_;  // shared with who finishes the recording; null: none
    SoundTaker* const soundTaker_;        // null: it is played, if at all
    std::unique_ptr<StreamSound> sound_;  // null: it is not played
    const bool aligned_;
    Event wake_;
    FrameMailbox mailbox_;
    std::stop_source stop_;
    std::atomic<bool> finished_{false};
    std::exception_ptr failure_;
    std::promise<void> opened_;
    StreamIntake intake_;
    std::jthread thread_;
};

}  // namespace verbcast

// One stream of a window: its receiver and its status.
#pragma once

#include <QObject>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/view/recording/recorder.h"
#include "app/view/streams/receiver_thread.h"
#include "app/view/streams/view_outcome.h"
#include "app/view/view_options.h"
#include "app/window/parts/message_overlay.h"

class QSocketNotifier;

namespace verbcast {

/// What a feed has shown before it became vacant, or took another stream.
struct LeftStream {
    std::string name;
    ReceiverStatus status;
    StreamStats stats;
};

/// The peer at that address, with this key file (empty: none), or else the key of a host that is paired with
/// by now. Throws Error{Usage} if the key cannot be used.
StreamPeer peerAt(const ViewOptions& options, const SessionAddress& address, const std::string& keyFile);

/// Has an address to receive from or a sender that called; otherwise it is vacant: a place without a stream.
/// Belongs to the GUI thread; its ReceiverThread handles the network.
class StreamFeed : public QObject {
    Q_OBJECT
  public:
    /// `recorder` may be null.
    StreamFeed(const ViewOptions& options, const StreamPeer& peer, std::shared_ptr<Recorder> recorder,
               const ShownWith& with);
    /// Starts vacant.
    StreamFeed(const ViewOptions& options, const ShownWith& with);
    ~StreamFeed() override;

    /// Waits until the address is open, not for a sender. Throws what the receiver threw if it cannot be
    /// opened.
    void waitUntilOpen();
    /// Opens the address, again or for the first time. Returns at once. Statistics start anew.
    void reopen();
    /// The same with the key of a host paired meanwhile. A problem with it becomes the failure.
    void reconnect();
    /// Receives from another peer, of peerAt() with this key file.
    void connectTo(const StreamPeer& peer, const std::string& keyFile);
    /// Takes the stream of a sender that called at `peer`.
    void accept(std::shared_ptr<IncomingStream> stream, const StreamPeer& peer);
    /// Becomes vacant and shows `message`. Returns the receiver, to be closed off this thread; may be null.
    std::unique_ptr<ReceiverThread> vacate(const Message& message);
    bool vacant() const { return vacant_; }
    /// Hello::instance of the sender that called; 0: none did.
    std::uint64_t callersInstance() const { return accepted_ ? accepted_->instance() : 0; }
    /// Waits until nothing more is received.
    void close();
    /// Ignores whatever comes from now on.
    void silence() { silent_ = true; }

    const StreamPeer& peer() const { return peer_; }
    /// Its address; of a sender that called, the name by which it calls itself.
    std::string name() const;
    /// Whether left() was emitted.
    bool hasLeft() const { return hasLeft_; }
    /// From connectTo() or the command line.
    const std::string& keyFile() const { return keyFile_; }

    // Before reopen() there is no mailbox, status or statistics.
    FrameMailbox* mailbox() { return receiver_ ? &receiver_->mailbox() : nullptr; }
    std::optional<ReceiverStatus> status() const { return receiver_ ? receiver_->status() : std::nullopt; }
    StreamStats stats() const { return receiver_ ? receiver_->stats() : StreamStats{}; }
    std::optional<StreamAlignment> alignment() const {
        return receiver_ ? receiver_->alignment() : std::nullopt;
    }
    /// Sends the user's input to the sender. Returns 0 if not sent: no sender, or it accepts no input.
    std::uint64_t sendInput(const InputEvent& event) { return receiver_ ? receiver_->sendInput(event) : 0; }
    bool inputAllowed() const { return receiver_ && receiver_->inputAllowed(); }

    /// Why no more frames will come until reopen() or connectTo(); null: some may.
    const std::exception_ptr& failure() const { return failure_; }
    /// The failure is that the address serves paired hosts only.
    bool needsPairing() const { return needsPairing_; }
    /// What to show over the picture now; nullopt while frames come.
    std::optional<Message> message();
    /// Why the frames are not shown on a display of a wall; nullopt while they are.
    const std::optional<Message>& tileMessage() const { return tileMessage_; }
    /// How the stream ended, if it is over: with `--once` at its end, and after a failure.
    const std::optional<ViewOutcome>& outcome() const { return outcome_; }

    /// Every frame that comes is recorded there from now on, whatever happens to the connection; null: no
    /// more. Not with a recorder of the options.
    void record(std::shared_ptr<Recorder> recorder);

    /// How its sound is played from now on.
    void controlSound(const SoundControls& controls);
    /// See SoundPlayer.
    std::vector<float> takeSoundPeaks() {
        return receiver_ ? receiver_->takeSoundPeaks() : std::vector<float>();
    }

    void frameShown(const ReceivedFrame& frame);
    std::uint64_t framesShown() const { return shown_; }
    /// Ends the stream with this failure, for content that cannot be shown.
    void fail(const std::exception_ptr& failure);

  Q_SIGNALS:
    void frameWaiting();
    void statusChanged();
    /// What it has shown is no longer in stats().
    void left(const verbcast::LeftStream& stream);
    /// mailbox() has changed.
    void receiverChanged();
    /// No more frames will come: show the one that may be waiting now.
    void lastFrameWaiting();
    /// The address serves paired hosts only and shows a code now.
    void pairingWanted();
    /// outcome() is set.
    void over();

  private:
    void start();
    std::optional<LeftStream> shownSoFar() const;
    void leave(const std::optional<LeftStream>& shown);
    std::optional<Message> soundAlone() const;
    void forget();
    void followTile(const std::shared_ptr<const PictureRegion>& region);
    void report(const std::exception_ptr& failure) const;
    void onWake();
    void onFinished();

    const ViewOptions& options_;  // of the program
    StreamPeer peer_;
    std::string keyFile_;
    std::shared_ptr<Recorder> recorder_;  // shared with the controller; null: none
    const ShownWith with_;
    SoundControls sound_;
    bool vacant_ = false;
    Message vacancy_;
    std::shared_ptr<IncomingStream> accepted_;  // shared with the receiver and the acceptor; null: none
    std::unique_ptr<ReceiverThread> receiver_;
    std::unique_ptr<QSocketNotifier> wake_;
    StreamMessage streamMessage_;
    std::exception_ptr failure_;
    bool needsPairing_ = false;
    std::optional<Message> failureMessage_;
    std::optional<ViewOutcome> outcome_;
    std::shared_ptr<const PictureRegion> region_;  // shared with the frames: detects a change
    std::optional<Message> tileMessage_;
    bool hasLeft_ = false;
    bool finishHandled_ = false;
    bool silent_ = false;
    std::uint64_t shown_ = 0;
};

}  // namespace verbcast

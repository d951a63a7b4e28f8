// Decides what the viewer does: which receiver feeds it, when it is over and with what outcome.
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/command_line.h"
#include "app/window/message_overlay.h"
#include "app/window/receiver_thread.h"

class QSocketNotifier;

namespace verbcast {

struct ViewOutcome {
    std::string
        reason;  ///< "frames", "duration", "end of stream", "closed", "interrupted", "lost", an error's kind
    int exitCode = 0;
};

/// Belongs to the GUI thread; the network is handled by the ReceiverThread that it owns.
class ViewerController : public QObject {
    Q_OBJECT
  public:
    explicit ViewerController(const ViewOptions& options);
    ~ViewerController() override;

    /// Uses the address of the options. Waits until it is in use, not for a sender. Throws what the receiver
    /// throws when the address cannot be used. Called once; until then there is no mailbox, status or number.
    void open();

    /// Uses the address of the options, again or for the first time. Returns at once. Statistics start anew.
    void reopen();
    /// The same with another address and key file (empty: none). The key of a host that was paired meanwhile
    /// is used by itself. What is wrong with the file becomes the failure.
    void connectTo(const Url& url, bool listen, const std::string& keyFile);

    FrameMailbox* mailbox() { return receiver_ ? &receiver_->mailbox() : nullptr; }
    const ViewOptions& options() const { return options_; }
    std::optional<ReceiverStatus> status() const { return receiver_ ? receiver_->status() : std::nullopt; }
    StreamStats stats() const { return receiver_ ? receiver_->stats() : StreamStats{}; }
    /// What the user does, for the sender. 0: not sent, since there is none or it takes no input.
    std::uint64_t sendInput(const InputEvent& event) { return receiver_ ? receiver_->sendInput(event) : 0; }
    bool inputAllowed() const { return receiver_ && receiver_->inputAllowed(); }
    /// Why no frame will come any more, until reopen() or connectTo().
    const std::optional<Message>& failure() const { return failureMessage_; }
    /// What to say over the picture now; nothing while frames come.
    std::optional<Message> message();

    /// Ends the program; the first caller's reason counts.
    void end(const std::string& reason, int exitCode);
    /// The user closed the window: the outcome is that of the failure on display, if there is one.
    void endByUser();
    const std::optional<ViewOutcome>& outcome() const { return outcome_; }

    void frameShown(const ReceivedFrame& frame);
    /// What cannot be shown ends the stream with this failure.
    void fail(const std::exception_ptr& failure);

  Q_SIGNALS:
    void frameWaiting();
    void statusChanged();
    /// mailbox() is another one now.
    void receiverChanged();
    /// No frame will come any more: show the one that may be waiting, now.
    void lastFrameWaiting();
    /// The address serves paired hosts only, and shows a code now.
    void pairingWanted();
    void ended();

  private:
    void startReceiver();
    void onWake();
    void onFinished();

    ViewOptions options_;
    std::unique_ptr<ReceiverThread> receiver_;
    std::unique_ptr<QSocketNotifier> wake_;
    QTimer duration_;
    StreamMessage streamMessage_;
    std::optional<Message> failureMessage_;
    std::optional<ViewOutcome> failureOutcome_;
    std::optional<ViewOutcome> outcome_;
    bool finishHandled_ = false;
    std::uint64_t shown_ = 0;
};

}  // namespace verbcast

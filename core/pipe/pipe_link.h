// What both ends of a pipe's connection share: failing, and learning that the other end failed.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "core/pipe/pipe_messages.h"
#include "core/session/link.h"

namespace verbcast {

/// Notifies `progress` whenever something happened that its owner may be waiting for.
class PipeLink : public Link {
  public:
    PipeLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress);

    // Callable from any thread:
    /// Whether the other end has said what it came for, if its role sends such a message; until then it may
    /// be anybody.
    virtual bool introduced() const = 0;
    /// Ends this side: tells the other one why, waits a moment for its goodbye, and ends run(). Call once.
    void fail(const PipeFailure& failure);
    /// The failure that the peer reported, if any; run() has ended or is about to.
    std::optional<PipeFailure> peerFailure() const;
    /// Whether the receiver has everything: however the connection ends now, it served its purpose.
    virtual bool complete() const = 0;
    std::string peerName() const { return peer().name.value; }

  protected:
    // Implemented by the two ends, called on the thread that serves the link.
    virtual void onPipeMessage(PipeMessageType type, ByteReader& reader) = 0;
    virtual void onCredit(const Credit& credit) = 0;
    virtual void onRing(const RingMessage& ring) = 0;
    /// Moves what can be moved without blocking; true if anything moved.
    virtual bool move() = 0;
    /// An orderly end, once everything has been said.
    void sayGoodbye();
    void notifyOwner() { progress_.notify(); }

    void onReady() override { notifyOwner(); }
    bool moveOn() final { return failing_ ? sendFailure() : move(); }

    mutable std::mutex mutex_;  // guards what the owner and the serving thread share, here and in both ends

  private:
    bool onSessionMessage(MessageType type, ByteReader& reader) final;
    void onTick(TimestampNs now) final;
    void onStopping() final;
    bool sendFailure();

    ArmedEvent& progress_;
    std::atomic<bool> failing_{false};  // failure_ is set: readable without the lock
    std::optional<PipeFailure> failure_;
    std::optional<PipeFailure> peerFailure_;
    TimestampNs failedAt_ = 0;  // when the failure was sent
};

}  // namespace verbcast

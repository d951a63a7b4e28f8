// What both ends of a pipe's connection have in common: failing, and hearing that the other end failed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "core/pipe/pipe_messages.h"
#include "core/session/link.h"

namespace verbcast {

/// Notifies `progress` whenever something happened that its owner may wait for.
class PipeLink : public Link {
  public:
    PipeLink(Guest guest, const LinkOptions& options, ArmedEvent& progress);

    // From any thread:
    /// The other end has said what it came for, as far as its part has such a word; until then it may be
    /// anybody.
    virtual bool introduced() const = 0;
    /// No more from this side: tells the other one why, waits a moment for its goodbye, and ends run(). Once.
    void fail(const PipeFailure& failure);
    /// The failure that the peer reported, if any; run() has ended or is about to.
    std::optional<PipeFailure> peerFailure() const;
    /// The receiver has everything: however the connection ends now, it did what it was for.
    virtual bool complete() const = 0;
    std::string peerName() const { return peer().name.value; }
    /// The other end reads our ring, or we its.
    bool sharesMemory() const { return sharesMemory_; }

  protected:
    // For the two ends, on the thread that serves the link.
    virtual void onPipeMessage(PipeMessageType type, ByteReader& reader) = 0;
    virtual void onCredit(const Credit& credit) = 0;
    virtual void onRing(const RingMessage& ring) = 0;
    /// Moves what can be moved without blocking; true when something was.
    virtual bool move() = 0;
    /// An orderly end, after all that was to be said.
    void sayGoodbye();
    void notifyOwner() { progress_.notify(); }

    void onReady() override { notifyOwner(); }
    bool step() final;

    mutable std::mutex
        mutex_;  // guards what the owner and the serving thread share, here and in the two ends

  private:
    void onSessionMessage(MessageType type, ByteReader& reader) final;
    void onTick(TimestampNs now) final;
    void onStopping() final;
    bool sendFailure();

    ArmedEvent& progress_;
    const bool sharesMemory_;
    std::atomic<bool> failing_{false};  // failure_ is set: read without the lock
    std::optional<PipeFailure> failure_;
    std::optional<PipeFailure> peerFailure_;
    TimestampNs failedAt_ = 0;  // when the failure was sent
};

}  // namespace verbcast

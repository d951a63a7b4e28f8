// What both ends of a pipe's connection have in common: failing, and hearing that the other end failed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/pipe/pipe_messages.h"
#include "core/session/link.h"

namespace verbcast {

/// Notifies `progress` whenever something happened that its owner may wait for.
class PipeLink : public Link {
  public:
    PipeLink(std::unique_ptr<Channel> channel, const LinkOptions& options, ArmedEvent& progress);

    // From any thread:
    /// The greetings fit together.
    bool connected() const { return connected_; }
    /// No more from this side: tells the other one why, waits a moment for its goodbye, and ends run(). Once.
    void fail(const PipeFailure& failure);
    /// What the other side said so; run() has ended or is about to.
    std::optional<PipeFailure> peerFailure() const;
    /// The receiver has everything: however the connection ends now, it did what it was for.
    virtual bool complete() const = 0;
    bool sharesPool() const { return channelDescription().sharesPool; }
    std::string peerName() const { return connected() ? peer().name : std::string(); }

  protected:
    // For the two ends, on the thread that serves the link.
    virtual void onPipeMessage(PipeMessageType type, ByteReader& reader) = 0;
    virtual void onCredit(std::uint32_t generation, std::uint32_t slot) = 0;
    /// Moves what can be moved without blocking; true when something was.
    virtual bool move() = 0;
    /// An orderly end, after all that was to be said.
    void sayGoodbye();
    void notifyOwner() { progress_.notify(); }

    void onReady() override;
    bool step() final;

    mutable std::mutex
        mutex_;  // guards what the owner and the serving thread share, here and in the two ends

  private:
    void onSessionMessage(MessageType type, ByteReader& reader) final;
    void onTick(TimestampNs now) final;
    void onStopping() final;
    bool sendFailure();

    ArmedEvent& progress_;
    std::atomic<bool> connected_{false};
    std::atomic<bool> failing_{false};  // failure_ is set: read without the lock
    std::optional<PipeFailure> failure_;
    std::optional<PipeFailure> peerFailure_;
    TimestampNs failedAt_ = 0;  // when the failure was sent
};

}  // namespace verbcast

// The frames of one track on their way over one link: how a policy treats them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/os/clock.h"
#include "core/base/ring_queue.h"
#include "core/flow/queued_frame.h"
#include "core/stream/send/frame_tally.h"

namespace verbcast {

class SenderTrack;

/// What waits for the link and, behind it, what the receiver may not have yet. The submitting thread and the
/// one that serves the link share it: all calls are made with the track's lock held, unless they say
/// otherwise.
class TrackQueue {
  public:
    virtual ~TrackQueue() = default;

    /// Lossless: the receiver is promised every frame.
    virtual Policy policy() const = 0;

    // From the submitting thread:
    /// Adds the newest frame. Sets the one that was dropped for it, if any, to be destroyed outside the lock.
    virtual void push(QueuedFrame&& frame, std::optional<QueuedFrame>& dropped) = 0;
    /// Whether the source may submit another frame.
    virtual bool canPush() const = 0;

    // By the thread that serves the link:
    /// The next frame to send over that track's link; null: none now.
    virtual QueuedFrame* front(const SenderTrack& /*track*/) {
        return queue_.empty() ? nullptr : &queue_.front();
    }
    /// The front is not to be sent: it has arrived over an earlier connection.
    void skip() { queue_.drop(); }
    /// The front cannot be sent any more: its memory was taken back.
    virtual void giveUp();
    /// Call before the front is sent: afterwards sent() does not throw.
    virtual void prepare() = 0;
    /// The front was given to the transport, which may have taken its lease.
    virtual void sent(const FrameInfo& info) = 0;
    /// The front, for as long as it is sent without the lock: its place stays, without a lease.
    QueuedFrame takeInHand() { return std::move(queue_.front()); }
    /// Afterwards, whether or not the transport has taken its lease.
    virtual void putBack(QueuedFrame&& inHand) { queue_.front() = std::move(inHand); }
    /// The transport no longer reads it. Without the lock.
    virtual void left(std::uint64_t /*sequence*/) {}
    /// The receiver has all frames before `next`. Returns true if that was news. Without the lock.
    virtual bool accepted(std::uint64_t next) = 0;
    /// The receiver does not want the track: nothing is kept for it.
    virtual void decline() { queue_.clear(); }
    virtual bool drained() const { return queue_.empty(); }
    /// Whether the receiver's consumer, which had frame `last` over this link, has the one before that frame.
    virtual bool hasPredecessor(std::uint64_t last, std::uint64_t sequence) const {
        return last + 1 == sequence;
    }
    /// When front() may have a frame though nothing was pushed; nullopt: never.
    virtual std::optional<TimestampNs> nextDue(const SenderTrack& /*track*/) const { return std::nullopt; }
    /// The link has ended: returns the frames that are to be sent again, in order; those that never will be
    /// count as dropped if the connection was `lost`.
    virtual std::vector<QueuedFrame> takeUnaccepted(bool lost) = 0;
    /// Before the link runs: adds such a frame of an earlier connection.
    virtual void resend(QueuedFrame&& frame) { queue_.push(std::move(frame)); }

    /// What waits for the link.
    RingQueue<QueuedFrame>& waiting() { return queue_; }
    const RingQueue<QueuedFrame>& waiting() const { return queue_; }

  protected:
    explicit TrackQueue(const FrameTally& tally) : tally_(tally) {}

    FrameTally tally_;
    RingQueue<QueuedFrame> queue_;
};

/// Live: when the receiver is not ready, its oldest frame is dropped.
class LatestQueue : public TrackQueue {
  public:
    /// `length`: most frames that wait.
    LatestQueue(const FrameTally& tally, std::size_t length) : TrackQueue(tally), length_(length) {}

    Policy policy() const override { return Policy::Latest; }
    void push(QueuedFrame&& frame, std::optional<QueuedFrame>& dropped) override;
    bool canPush() const override { return true; }
    void prepare() override { unheard_.makeRoom(); }
    void sent(const FrameInfo& info) override;
    void putBack(QueuedFrame&& inHand) override;
    bool accepted(std::uint64_t next) override;
    std::vector<QueuedFrame> takeUnaccepted(bool lost) override;

  private:
    const std::size_t length_;
    RingQueue<std::uint64_t> unheard_;  // sequences of frames that were sent, and perhaps have not arrived
};

/// Nothing is dropped: the source waits, and what may not have arrived is kept.
class LosslessQueue final : public TrackQueue {
  public:
    /// `slots`: frames that the sender may hold.
    LosslessQueue(const FrameTally& tally, std::uint32_t slots) : TrackQueue(tally), slots_(slots) {}

    Policy policy() const override { return Policy::Lossless; }
    void push(QueuedFrame&& frame, std::optional<QueuedFrame>& /*dropped*/) override {
        queue_.push(std::move(frame));
    }
    bool canPush() const override;
    void prepare() override;
    void sent(const FrameInfo& info) override;
    bool accepted(std::uint64_t next) override;
    void decline() override;
    std::vector<QueuedFrame> takeUnaccepted(bool lost) override;

  private:
    static constexpr std::size_t kLength = 2;

    const std::uint32_t slots_;
    QueuedFrame kept_;                     // of the front, while it is being sent
    RingQueue<QueuedFrame> unaccepted_;    // by the serving thread only
    std::atomic<std::uint32_t> count_{0};  // of unaccepted_
};

}  // namespace verbcast

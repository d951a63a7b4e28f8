// One track of a broadcast on its way to one receiver: a short queue, formats, credits, and what may have to
// be sent again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/flow/queued_frame.h"
#include "core/flow/source_ledger.h"
#include "core/stream/send/track_queue.h"
#include "core/video/change_history.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// For a receiver that wants something else than whole frames, until the end of the epoch.
class FrameCut {
  public:
    virtual ~FrameCut() = default;
    /// Bytes that a slot of the receiver must have.
    virtual std::uint64_t slotBytes() const = 0;
    /// How a frame's slot follows from its time stamp; nullopt: it does not.
    virtual std::optional<PlaceRule> rule() const { return std::nullopt; }
    /// Sends it as SourceLedger::send() does. `told`: the changes that the frame is to report. `since`: what
    /// has changed since the frame that its slot holds. Sets info.payloadBytes to what the frame counts as.
    virtual Status send(SourceLedger& ledger, QueuedFrame& frame, FrameInfo& info, const PictureChanges& told,
                        const PictureChanges& since) const = 0;
};

class Imports;
class SenderLink;
class SlotBudget;

/// The queue is shared between the submitting thread and the one that serves the link; the rest is for the
/// latter only.
class SenderTrack {
  public:
    /// `path`: of the kind's frames.
    SenderTrack(SenderLink& link, FramePath& path, TrackId id, TrackKind kind,
                std::unique_ptr<TrackQueue> queue);

    TrackId id() const { return ledger_.track(); }
    bool takesFramePath() const { return takesFramePath_; }
    SenderLink& link() const { return link_; }

    // From the submitting thread:
    /// Call only while canPush(), or for a receiver that came in since. Returns false if the link waits for
    /// something from its peer, which will wake it.
    bool push(QueuedFrame&& frame);
    /// This frame is not sent: what changed in it is sent with the next one.
    void turnDown(const FrameInfo& info);
    bool canPush() const;
    /// No frame will follow.
    void finish();

    // By the thread that serves the link:
    /// Tells the receiver of a format before there is a frame of it.
    void announce(const CurrentFormat& current);
    void onOfferReady(RingId ring, std::span<const std::byte> offer);
    void onRing(const RingMessage& message) { ledger_.takeRing(message); }
    void onAccept(const Accept& accept);
    void onCredit(const Credit& credit);
    void onPlacedCredit(const PlacedCredit& credit);
    void onFrameSent(std::uint32_t localSlot);
    /// Sends what it can; returns true if it sent anything.
    bool step();
    /// After finish(): whether all has been sent.
    bool drained() const;
    /// Whether the peer's news can wait: nothing waits here, and at most half of the pool's spare slots are
    /// lent.
    bool maySleep() const;
    bool owns(RingId ring) const { return ring != 0 && ring == offeredRing_; }

    std::uint64_t framesSent() const { return framesSent_; }

    /// Once the link has ended: see SourceLedger.
    std::vector<int> releaseUnread();
    /// Once the connection is gone, too: gives up all frames. `ending`: nothing follows in our own memory.
    void drop(bool ending) { ledger_.drop(ending); }
    /// Once the link has ended: see TrackQueue.
    std::vector<QueuedFrame> takeUnaccepted(bool lost);
    /// Before the link runs: takes such frames of an earlier connection, to send first.
    void resend(std::vector<QueuedFrame> frames);
    /// Before it sends anything: gives up those that lie in memory which this connection does not reach.
    /// Returns how many. Blocks as FramePath::import() does.
    std::size_t dropUnreached(Imports& imports);

    /// When there may be a frame to send though nothing was pushed; nullopt: never.
    std::optional<TimestampNs> nextDue() const;

    // For features:
    /// Of that epoch, which the receiver has been told of and has not accepted yet. Throws Error{Peer} if it
    /// is another.
    const TrackFormat& formatToAccept(std::uint32_t epoch) const;
    void cutBy(std::unique_ptr<FrameCut> cut) { cut_ = std::move(cut); }

    // For its queue and features:
    /// The receiver was told of a format,
    bool announced() const { return announced_ != nullptr; }
    /// and has accepted it.
    bool accepted() const { return announced_ && acceptedEpoch_ == announcedEpoch_; }
    const SourceLedger& ledger() const { return ledger_; }

  private:
    bool sendNext();
    template <typename Take>
    Status send(const QueuedFrame& frame, FrameInfo& info, Take&& take);
    Status sendInHand(FrameInfo& info, std::unique_lock<std::mutex>& lock);
    PictureChanges changesSince(std::optional<std::uint64_t> earlier, const FrameInfo& info) const;
    /// Bytes of a frame as it travels.
    std::uint64_t frameBytes() const { return cut_ ? cut_->slotBytes() : announced_->format.slotBytes(); }
    bool canSend(const QueuedFrame& frame);
    bool giveUpTakenBack(const QueuedFrame& frame);
    void creditTaken(std::uint64_t nextSequence, bool slotsCameBack);
    SlotBudget& budget();
    void release(std::uint64_t sequence);
    void withdraw(std::uint64_t sequence);
    void sendFormat();
    void addSource(const std::shared_ptr<FramePool>& pool);
    PictureChanges toldChanges(const FrameInfo& info) const;

    SenderLink& link_;
    SourceLedger ledger_;

    // Guarded by mutex_, which is held for a few pointer moves and contended only when both threads touch the
    // queue at once: dropping the oldest frame rules out a plain ring.
    mutable std::mutex mutex_;
    const std::unique_ptr<TrackQueue> queue_;
    const bool takesFramePath_;
    const bool encrypts_;    // its path does, which takes as long as reading the frame
    const bool budgeted_;    // it shares the source's slots with other receivers: SlotBudget
    ChangeHistory history_;  // of all frames that came into the queue, or were turned down
    bool finishing_ = false;
    bool declined_ = false;      // the receiver does not want the track
    bool waitsForPeer_ = false;  // for credit, for an answer, or for bytes to leave: no new frame helps

    std::shared_ptr<const Epoch> announced_;
    std::uint32_t announcedEpoch_ = 0;  // counted for each connection
    std::uint32_t acceptedEpoch_ = 0;
    std::unique_ptr<FrameCut> cut_;          // of that epoch; null: whole frames, or what has changed in them
    RingId offeredRing_ = 0;                 // ours, with shared memory
    bool ringWaits_ = false;                 // for its offer
    bool formatWaits_ = false;               // for that, too
    std::uint64_t resumeAt_ = 0;             // frames before it have arrived over an earlier connection
    std::optional<std::uint64_t> lastSent_;  // sequence, in the announced epoch
    std::atomic<std::uint64_t> framesSent_{0};
};

}  // namespace verbcast

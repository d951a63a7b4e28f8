// The sending side of one connection: the tracks of a broadcast, a receiver's input, and what it reports.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/link.h"
#include "core/session/messages/input_queue.h"
#include "core/session/slots/slot_budget.h"
#include "core/session/together/clock_tie.h"
#include "core/session/together/kept_clock.h"
#include "core/session/together/outbox.h"
#include "core/session/together/presentation_group.h"
#include "core/stats/histogram.h"
#include "core/stream/frame/path_account.h"
#include "core/stream/rails/rail_group.h"
#include "core/stream/send/imports.h"
#include "core/stream/send/sender_track.h"
#include "core/stream/send/viewer_list.h"

namespace verbcast {

/// What a sender knows about one of its receivers.
struct ReceiverStats {
    ConnectionDescription channel;
    PeerTrust trust;
    std::string copyReason;  ///< why frames are copied before they leave; empty if they are not
    ViewerStats viewer;
};

/// What the links of one audience share; outlives them.
struct SenderShared {
    explicit SenderShared(std::uint32_t ringSlots) : slots(ringSlots) {
        for (std::size_t track = 0; track < kMaxTracks; ++track) {
            budgets.emplace_back(ringSlots);
        }
    }

    const std::uint32_t slots;       ///< most frames held, over all receivers
    std::deque<SlotBudget> budgets;  ///< of each track; Latest only
    std::uint32_t heldLimit = 0;     ///< frames that one receiver may hold; 0: as many as it asks for
    bool allowInput = false;
    InputQueue input;
    std::array<std::atomic<std::uint64_t>, kMaxTracks>
        nextUncounted{};  ///< first sequence no link has sent yet
    // Of the main track:
    std::atomic<std::uint64_t> framesSent{0};  ///< each counted once, however many receivers got it
    std::atomic<std::uint64_t> framesDropped{0};
    std::atomic<std::uint64_t> framesLost{0};  ///< Lossless: sent, never accepted, and not held any more
    std::atomic<TimestampNs> firstSentAt{0};
    std::atomic<TimestampNs> lastSentAt{0};
    PathTotals paths;
    LatencyRecorder capture;                      ///< recorded by the submitting thread
    std::unique_ptr<PresentationGroup> together;  ///< null: displays show when they like
    std::mutex keptMutex;                         ///< guards kept
    KeptClock kept;
    ArmedEvent progress;  ///< a queue has room, a receiver is ready or gone
};

class SenderLink final : public Link, private GroupDisplay {
  public:
    /// `id` identifies this receiver; the owner makes it join the budgets, and the link leaves them.
    /// `account`: the receiver's. `current`: formats to announce at once. `policy`: Latest for one that may
    /// miss frames of a lossless source. `rails`: the group that it is a rail of, shared with the others.
    SenderLink(Guest guest, const LinkOptions& options, SenderShared& shared, std::uint64_t id,
               std::shared_ptr<ViewerAccount> account, const std::vector<CurrentFormat>& current,
               Policy policy, std::shared_ptr<RailGroup> rails = nullptr);
    ~SenderLink() override;

    // From the submitting thread:
    void push(QueuedFrame&& frame);
    /// For a rail: foretell() before a frame is put where all rails take theirs from, serveRail() once it is
    /// there.
    void foretell(const FrameInfo& info);
    void serveRail() { loop().serveNow(); }
    /// The frame is not to be sent: what changed in it is sent with the next one.
    void turnDown(const QueuedFrame& frame);
    bool canPush();
    /// No frame will follow: sends what is queued, says so, and waits for the receiver's goodbye.
    void finish(const std::string& reason);
    /// Which memories frames can leave from. Not once letGo() may have been called.
    Imports& imports() { return imports_; }

    // From any thread:
    std::uint64_t id() const { return id_; }
    /// Identifies its receiver: the id of the first of its rails.
    std::uint64_t viewerId() const { return rails_ ? rails_->id() : id_; }
    /// Null: it is no rail.
    const std::shared_ptr<RailGroup>& rails() const { return rails_; }
    std::uint8_t rail() const { return peer().rail.index; }
    bool sharesMemory() const { return sharesMemory_; }
    ReceiverStats stats() const;
    const std::shared_ptr<ViewerAccount>& account() const { return viewer_; }
    /// When something last moved, or began to wait.
    TimestampNs idleSince() const { return progressAt_; }
    /// Ends the link: the receiver took nothing for too long.
    void evict(const std::string& reason);
    /// Ends the stream for this receiver, and tells it why.
    void endBecause(const std::string& reason);

    /// Call after run(): releases what this receiver holds down.
    void conclude();
    /// Call after run(), last. With shared memory, waits until the receiver reads none of the frames that it
    /// was lent, which keep their slots until then, or until the deadline; only for a moment after stop(),
    /// and not at all after evict(). Then gives up all frames, and tells a receiver that still reads them.
    void letGo(Deadline deadline);
    /// After run(): see SenderTrack.
    std::vector<QueuedFrame> takeUnaccepted(bool lost);
    /// Call before run().
    void resend(std::vector<QueuedFrame> frames);

    // For its tracks:
    SenderShared& shared() { return shared_; }
    Policy policy() const { return policy_; }
    RingId nextRing() { return ++lastRing_; }
    bool reachesMany() { return path().reachesMany(); }
    std::uint32_t heldLimit() const;
    void countSent(const FrameInfo& info);
    /// The receiver no longer holds any of the track's frames up to this one.
    void cameBack(const SenderTrack& track, std::uint64_t newest);
    void countTaken(const FrameInfo& info, bool first);
    RailQueue* railQueue(TrackId track) { return rails_ ? &rails_->queue(track) : nullptr; }
    /// How many frames it may be sending at a time.
    std::uint32_t railFrames() const { return RailQueue::atOnce(shared_.slots, rails_->count(), policy_); }
    void countDropped(TrackId track);
    void progressed();
    std::uint64_t shownInput(std::uint64_t serial);
    /// Whether the receiver shows frames when it is told.
    bool presents() const { return presents_; }
    void sending(SenderTrack& track) { sendingOrder_.push(&track); }
    void makeRoomForSending() { sendingOrder_.makeRoom(); }  ///< the next sending() does not throw
    template <typename Message>
    void tell(const Message& message) {
        send(message);
    }

  private:
    void onReady() override;
    void onSessionMessage(MessageType type, ByteReader& reader) override;
    bool step() override;
    bool mayDoze() override;
    std::optional<TimestampNs> nextDue() const override;
    void onTick(TimestampNs now) override;
    void onStopping() override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    void onFrameGivenUp() override;
    void onFrameSent(std::uint32_t localSlot) override;

    SenderTrack& track(TrackId id);
    SenderTrack* findTrack(TrackId id) const;
    template <typename Visit>
    void eachTrack(Visit&& visit) const;
    void handleInput(InputMessage&& message);
    void releaseInput();
    // For displays that show together: sender_link_together.cpp
    void present(const PresentFrame& message) noexcept override;
    void joinDisplays();
    void leaveDisplays() noexcept;
    bool handleTogether(MessageType type, ByteReader& reader);
    void keepTogether(TimestampNs now);
    TimestampNs wallOffset(TimestampNs now);
    bool sendEnds();
    void leaveBudgets();
    void countFirst(const FrameInfo& info);

    // When the sender stops, a receiver has this long to finish the frame that it reads in shared memory.
    static constexpr std::chrono::milliseconds kLastLook{500};

    SenderShared& shared_;
    const std::uint64_t id_;
    const Policy policy_;
    const bool sharesMemory_;
    Imports imports_;
    const std::shared_ptr<ViewerAccount> viewer_;
    const std::shared_ptr<RailGroup> rails_;
    std::vector<CurrentFormat> current_;  // until onReady()

    mutable std::mutex mutex_;  // guards the creation of tracks and the members down to lastWords_
    std::array<std::unique_ptr<SenderTrack>, kMaxTracks> tracks_;
    std::string finishReason_;
    std::string evictReason_;
    std::string lastWords_ = "the sender stopped";

    std::atomic<std::uint32_t> present_{0};  // a bit for each of tracks_; only grows
    std::atomic<bool> finishing_{false};
    std::atomic<bool> evicted_{false};
    std::atomic<TimestampNs> progressAt_;
    RingQueue<SenderTrack*> sendingOrder_;  // of frames between send() and onFrameSent()
    bool endSent_ = false;
    RingId lastRing_ = 0;
    std::uint64_t payloadMoved_ = 0;
    PathAccount account_;
    const bool presents_;
    Outbox orders_;
    ClockTie tie_;
    TimestampNs newsAt_ = 0;

    /// An event of this receiver that no frame has shown yet, by both its numbers.
    struct PendingInput {
        std::uint64_t serial, sequence;
    };
    std::deque<PendingInput> pendingInput_;
    std::uint64_t lastInput_ = 0;   // sequence
    std::uint64_t shownInput_ = 0;  // sequence of the last event that a frame has shown
};

}  // namespace verbcast

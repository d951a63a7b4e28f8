// The sending side of one connection: the tracks of a broadcast, and what a receiver reports.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/flow/path_account.h"
#include "core/flow/slot_budget.h"
#include "core/session/link.h"
#include "core/session/link_feature.h"
#include "core/session/message_path.h"
#include "core/session/messages/input_queue.h"
#include "core/stream/send/frame_tally.h"
#include "core/stream/send/imports.h"
#include "core/stream/send/sender_track.h"

namespace verbcast {

/// What a sender knows about one of its receivers.
struct ReceiverStats {
    std::uint64_t id = 0;  ///< ViewerInput::viewer
    ConnectionDescription channel;
    PeerTrust trust;
    std::string copyReason;  ///< why frames are copied before they leave; empty if they are not
    ViewerStats viewer;
};

class Viewer;

/// What the links of one audience share; outlives them.
struct SenderShared {
    SenderShared(std::uint32_t ringSlots, const TrackPolicies& trackPolicies) : slots(ringSlots) {
        for (std::size_t track = 0; track < kMaxTracks; ++track) {
            budgets.emplace_back(ringSlots);
            policies[track] = trackPolicies.policyOf(static_cast<TrackId>(track));
        }
    }

    const std::uint32_t slots;  ///< most frames held, over all receivers
    std::array<Policy, kMaxTracks> policies{};
    std::deque<SlotBudget> budgets;  ///< of each track; Latest only
    std::uint32_t heldLimit = 0;     ///< frames that one receiver may hold; 0: as many as it asks for
    InputQueue input;
    std::array<FrameTotals, kMaxTracks> frames;
    StreamTotals totals;  ///< what does not add up from those of the viewers
    ArmedEvent progress;  ///< a queue has room, a receiver is ready or gone
};

class SenderLink final : public Link {
  public:
    /// `id` identifies this link; the owner makes it join the budgets, and the link leaves them. `viewer`:
    /// its receiver, which outlives it. `current`: formats to announce at once.
    SenderLink(PeerConnection connection, const LinkOptions& options, Viewer& viewer, std::uint64_t id,
               const std::vector<CurrentFormat>& current);
    ~SenderLink() override;

    /// Call before run(). Null: nothing.
    void plugIn(std::unique_ptr<SourceFeature> feature);

    // From the submitting thread:
    /// A feature may turn the frame down.
    void push(QueuedFrame&& frame);
    /// The frame is not to be sent: what changed in it is sent with the next one.
    void turnDown(const QueuedFrame& frame) { trackFor(*frame.epoch).turnDown(frame.info); }
    bool canPush(TrackId track) const;
    /// No frame will follow: sends what is queued, says so, and waits for the receiver's goodbye.
    void finish(const std::string& reason);
    /// Which memories frames can leave from. Not once letGo() may have been called.
    Imports& imports() { return imports_; }

    // From any thread:
    std::uint64_t id() const { return id_; }
    Viewer& viewer() const { return viewer_; }
    bool sharesMemory() const { return sharesMemory_; }
    bool encrypts() const { return trust().protection == Protection::Encrypted; }
    /// Its frames leave once for several viewers.
    bool reachesMany() const { return reachesMany_; }
    ReceiverStats stats() const;
    /// When something last moved, or began to wait.
    TimestampNs idleSince() const { return progressAt_; }
    /// Ends the link: the receiver took nothing for too long.
    void evict(const std::string& reason);
    bool evicted() const { return evicted_; }
    /// Ends the stream for this receiver, and tells it why.
    void endBecause(const std::string& reason);

    /// Call after run(), last. With shared memory, waits until the receiver reads none of the frames that it
    /// was lent, which keep their slots until then, or until the deadline; only for a moment after stop(),
    /// and not at all after evict(). Then gives up all frames, and tells a receiver that still reads them.
    void letGo(Deadline deadline);
    /// After run(): see SenderTrack.
    std::vector<QueuedFrame> takeUnaccepted(bool lost);
    /// Call before run().
    void resend(std::vector<QueuedFrame> frames);

    // For its tracks and features:
    /// The track that the receiver speaks of. Throws Error{Peer} if there is none.
    SenderTrack& known(TrackId id);
    SenderShared& shared() { return shared_; }
    RingId nextRing() { return ++lastRing_; }
    std::uint32_t heldLimit() const;
    void countSent(const FrameInfo& info);
    /// The receiver no longer holds any of the track's frames up to this one.
    void cameBack(const SenderTrack& track, std::uint64_t newest);
    void progressed() { hasProgressed_ = true; }
    /// Who submits may go on: told once a round, however much happens in it.
    void changed() { hasChanged_ = true; }
    /// Lets the features complete what the frame says.
    void beforeSend(FrameInfo& info) {
        for (SourceFeature* feature : features_) {
            feature->beforeSend(info);
        }
    }
    void sending(SenderTrack& track) { orderOf(track).push(&track); }
    void makeRoomForSending(const SenderTrack& track) {
        orderOf(track).makeRoom();
    }  ///< sending() does not throw

  private:
    void onReady() override;
    bool onSessionMessage(MessageType type, ByteReader& reader) override;
    bool moveOn() override;
    bool maySleep() override;
    std::optional<TimestampNs> nextDue() const override;
    void onTick(TimestampNs now) override;
    void onStopping() override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    void onFrameGivenUp() override;
    void onFrameSent(std::uint32_t localSlot) override;

    /// Hears of frames that have left as messages.
    class SentMessages final : public FrameHandler {
      public:
        explicit SentMessages(SenderLink& link) : link_(link) {}
        void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
            link_.onOfferReady(ring, offer);
        }
        FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
            return link_.beginFrame(ring, slot, info);
        }
        void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
            link_.onFrame(ring, slot, info);
        }
        void onFrameSent(std::uint32_t localSlot) override { link_.left(order, localSlot); }

        RingQueue<SenderTrack*> order;

      private:
        SenderLink& link_;
    };

    SenderTrack& trackFor(const Epoch& epoch) { return track(epoch.track, epoch.format.kind); }
    SenderTrack& track(TrackId id, TrackKind kind);
    void left(RingQueue<SenderTrack*>& order, std::uint32_t localSlot);
    RingQueue<SenderTrack*>& orderOf(const SenderTrack& track);
    SenderTrack* findTrack(TrackId id) const;
    template <typename Visit>
    void eachTrack(Visit&& visit) const;
    bool sendEnds();
    void tellChanges();
    void endTracks(const std::string& reason);
    void leaveBudgets();

    // When the sender stops, a receiver has this long to finish the frame that it reads in shared memory.
    static constexpr std::chrono::milliseconds kLastLook{500};

    Viewer& viewer_;
    SenderShared& shared_;
    const std::uint64_t id_;
    const bool sharesMemory_;
    const bool reachesMany_;
    Imports imports_;
    std::vector<SourceFeature*> features_;  // owned by Link
    std::vector<CurrentFormat> current_;    // until onReady()

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
    MessagePath messagePath_;
    SentMessages sentMessages_;
    bool endSent_ = false;
    bool hasProgressed_ = false;  // since the last round
    bool hasChanged_ = false;
    RingId lastRing_ = 0;
    std::uint64_t payloadMoved_ = 0;
    PathAccount account_;
};

}  // namespace verbcast

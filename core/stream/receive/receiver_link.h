// The receiving end of one connection: the tracks that are wanted, arriving frames, and input that goes back.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/session/link.h"
#include "core/session/together/clock_tie.h"
#include "core/session/together/kept_clock.h"
#include "core/stats/histogram.h"
#include "core/stream/frame/frame_inbox.h"
#include "core/stream/frame/path_account.h"
#include "core/stream/frame/together_listener.h"
#include "core/stream/rails/rail_merge.h"
#include "core/stream/receive/receiver_track.h"

namespace verbcast {

/// What had come before the present sender: reports to it tell of its own frames alone.
struct ReportBase {
    std::uint64_t sender = 0;  ///< Hello::instance
    std::uint64_t received = 0, shown = 0, skipped = 0;
    LatencyHistogram latency;
};

/// What the links of one incoming stream, one after the other, have in common; outlives them.
struct ReceiverShared {
    /// `listener`: may be null, and outlives this: the frames are shown when the sender says so.
    ReceiverShared(std::uint32_t ringSlots, std::uint16_t trackCount, std::optional<std::uint64_t> maxMemory,
                   RegionWish wish = {}, TogetherListener* listener = nullptr, bool takesRails = false)
        : slots(ringSlots),
          tracks(trackCount),
          regionWish(std::move(wish)),
          together(listener),
          inbox(ringSlots * trackCount),
          ringMemory(maxMemory) {
        if (takesRails) {
            makeMerge();
        }
    }

    /// Counts frames that the consumer never got. Any thread.
    void countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless,
                      std::string_view why);
    /// Counts a frame that is handed on.
    void countArrived(const ReceivedFrame& frame);
    /// For the consumer: the next frame of the inbox.
    bool take(ReceivedFrame& frame);
    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame);
    /// What TogetherListener::onSession() gave to the rails of that sender, whose frames are shown as they
    /// come.
    std::uint64_t sessionOfRails(std::uint64_t instance);

    const std::uint32_t slots;
    const std::uint16_t tracks;   ///< wanted: those below
    const RegionWish regionWish;  ///< of the main track; empty: whole pictures
    TogetherListener* const together;
    FrameInbox inbox;
    /// Of each rail (of who has none, the first), by the thread that serves its link.
    std::array<std::array<TrackRecord, kMaxTracks>, kMaxRails> records;
    std::mutex allotMutex;                                          ///< see ReceiverLink::allotRings()
    std::array<std::atomic<std::uint64_t>, kMaxRails> ringBytes{};  ///< of each rail's rings
    RingMemory ringMemory;
    std::mutex reportMutex;  ///< guards reportBase
    ReportBase reportBase;
    std::unique_ptr<RailMerge> merge;  ///< null: the stream takes no rails
    struct RailsSession {
        std::uint64_t instance, session;
    };
    std::mutex sessionMutex;                   ///< guards railsSession
    std::optional<RailsSession> railsSession;  ///< the session that `together` was told of last, if of rails
    // Of the main track:
    std::atomic<std::uint64_t> framesReceived{0};
    std::atomic<std::uint64_t> framesMissing{0};
    std::atomic<std::uint64_t> framesLost{0};  ///< of a lossless stream
    std::atomic<std::uint64_t> framesCorrupt{0};
    std::atomic<std::uint64_t> framesShown{0};
    std::atomic<std::uint64_t> framesSkipped{0};
    std::atomic<std::uint64_t> bytes{0};
    PathTotals paths;  ///< of all tracks
    std::atomic<TimestampNs> firstAt{0};
    std::atomic<TimestampNs> lastAt{0};
    std::atomic<TimestampNs> clockError{0};
    LatencyRecorder latency, capture, post, wire;  ///< recorded after the consumer took the frame
    LatencyRecorder show;                          ///< recorded by the consumer's thread
    LatencyRecorder inputToPicture;                ///< recorded by the thread that shows frames

  private:
    void makeMerge();
};

class ReceiverLink final : public Link {
  public:
    /// `rail`: it is that one of several of the stream's.
    ReceiverLink(Guest guest, const LinkOptions& options, ReceiverShared& shared,
                 std::optional<std::uint8_t> rail = std::nullopt);
    ~ReceiverLink() override;

    // From any thread:
    bool streaming() const { return streaming_; }
    bool inputAllowed() const { return (peer().features & kTakesInput) != 0; }
    /// Queues an event whose sequence is higher than those before. False when hundreds wait already.
    bool sendInput(const InputMessage& message);
    /// The main track's format announced last, or null.
    std::shared_ptr<const VideoFormat> format() const;

    /// After run(): a sender whose memory is shared may have back what is not being looked at.
    void letGo();
    /// After that: hangs up and gives up the rings, but for frames that the consumer holds. Only what is for
    /// any thread may be called then.
    void giveRingsBack();

    // For its tracks:
    /// What the track's pictures of that format are wanted of; nothing: all.
    std::optional<PictureRegion> regionOf(TrackId track, const TrackFormat& format) const;
    /// Whether the sender would send no more than a region.
    bool senderCuts() { return (peer().features & kCutsRegions) != 0 && !path().reachesMany(); }
    std::uint32_t slots() const { return shared_.slots; }
    RingMemory& ringMemory() { return shared_.ringMemory; }
    std::uint64_t ringBytesOfOthers(TrackId track) const;
    /// Held while a ring is asked for, made and noted: another rail must not take the same memory meanwhile.
    std::unique_lock<std::mutex> allotRings() { return std::unique_lock(shared_.allotMutex); }
    void noteRings();
    /// Null: it is no rail, and frames go straight to the inbox.
    const RailMerge* merge() const { return merge_; }
    RingId nextRing() { return ++lastRing_; }
    bool inboxHasRoom() const { return shared_.inbox.hasRoomForNewRings(); }
    void countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless);
    template <typename Message>
    void tell(const Message& message) {
        send(message);
    }

  private:
    void onReady() override;
    void onSessionMessage(MessageType type, ByteReader& reader) override;
    bool step() override;
    void armExtra() override;
    void disarmExtra() override;
    void addExtraDescriptors(std::vector<int>& descriptors) const override;
    void onTick(TimestampNs now) override;
    std::optional<TimestampNs> nextDue() const override;
    void onStopping() override;
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameLost(RingId ring, const FrameInfo& info) override;

    ReceiverTrack* wanted(TrackId id);
    ReceiverTrack& ownerOf(RingId ring) const;
    bool finishStream();
    bool flushInput();
    void hear(const RailOrder& order);
    void sendReport();
    // Shown with other displays: receiver_link_together.cpp
    void beginTogether();
    bool handleTogether(MessageType type, ByteReader& reader);
    void handleOrder(PresentFrame order);
    void setPresentTime(ReceivedFrame& frame) const;

    ReceiverShared& shared_;
    const std::uint8_t rail_;
    RailMerge* const merge_;
    std::vector<std::unique_ptr<ReceiverTrack>> tracks_;  // as many as are wanted
    RingId lastRing_ = 0;
    std::atomic<bool> streaming_{false};
    PathAccount account_;
    std::mutex inputMutex_;                    // guards input_
    RingQueue<std::vector<std::byte>> input_;  // encoded, not yet taken by the channel
    std::atomic<bool> anyInput_{false};        // input_ is not empty: read without the lock
    bool lastEnd_ = false;                     // the last of all tracks' ends was announced
    std::string endReason_;
    TimestampNs consumedAt_ = 0;
    TimestampNs reportedAt_ = 0;
    bool together_ = false;      // the sender says when to show
    std::uint64_t session_ = 0;  // as its frames say
    std::shared_ptr<Outbox> outbox_;
    ClockTie tie_;
    KeptClock kept_;
};

}  // namespace verbcast

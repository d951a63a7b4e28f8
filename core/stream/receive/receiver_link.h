// The receiving side of one connection: the wanted tracks, arriving frames, and input that goes back.
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
#include "core/stream/receive/device_landing.h"
#include "core/stream/receive/receiver_track.h"

namespace verbcast {

/// What came before the present sender: reports to it tell of its own frames only.
struct ReportBase {
    std::uint64_t sender = 0;  ///< Hello::instance
    std::uint64_t received = 0, shown = 0, skipped = 0;
    LatencyHistogram latency;
};

/// What the links of one incoming stream, one after the other, share; outlives them.
struct ReceiverShared {
    /// `listener`: shows the frames when the sender says so. May be null; must outlive this. `land`: null
    /// where frames stay in main memory.
    ReceiverShared(std::uint32_t ringSlots, std::uint16_t trackCount, std::optional<std::uint64_t> maxMemory,
                   RegionWish wish = {}, TogetherListener* listener = nullptr, bool takesRails = false,
                   std::unique_ptr<DeviceLanding> land = nullptr, PartPlacer* partPlacer = nullptr)
        : slots(ringSlots),
          tracks(trackCount),
          regionWish(std::move(wish)),
          together(listener),
          placer(partPlacer),
          inbox(ringSlots * trackCount),
          ringMemory(maxMemory),
          landing(std::move(land)) {
        if (takesRails) {
            makeMerge();
        }
    }

    /// Counts frames that the consumer never got. Thread-safe.
    void countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless,
                      std::string_view why);
    /// Counts a frame that is handed on.
    void countArrived(const ReceivedFrame& frame);
    /// For the consumer: the next frame of the inbox.
    bool take(ReceivedFrame& frame);
    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame);
    /// Counts a frame that was not intact: see confirm(). Its lease may be gone.
    void countTakenBack(const ReceivedFrame& frame);
    /// What TogetherListener::onSession() returned for the rails of that sender, whose frames are shown as
    /// they come.
    std::uint64_t sessionOfRails(std::uint64_t instance);

    const std::uint32_t slots;
    const std::uint16_t tracks;   ///< wanted: those with lower numbers
    const RegionWish regionWish;  ///< of the main track; empty: whole pictures
    TogetherListener* const together;
    PartPlacer* const placer;  ///< may be null, like `together`
    FrameInbox inbox;
    /// Of each rail (the first, if there are none); used by the thread that serves its link.
    std::array<std::array<TrackRecord, kMaxTracks>, kMaxRails> records;
    RingMemory ringMemory;
    const std::unique_ptr<DeviceLanding> landing;  ///< null: frames are returned in main memory
    std::mutex reportMutex;                        ///< guards reportBase
    ReportBase reportBase;
    std::unique_ptr<RailMerge> merge;  ///< null: the stream takes no rails
    struct RailsSession {
        std::uint64_t instance, session;
    };
    std::mutex sessionMutex;                   ///< guards railsSession
    std::optional<RailsSession> railsSession;  ///< what `together` was last told of, if that was of rails
    // Of the main track:
    std::atomic<std::uint64_t> framesReceived{0};
    std::atomic<std::uint64_t> framesTaken{0};  ///< out of the inbox
    std::atomic<std::uint64_t> framesMissing{0};
    std::atomic<std::uint64_t> framesLost{0};  ///< of a lossless stream
    std::atomic<std::uint64_t> framesCorrupt{0};
    std::atomic<std::uint64_t> framesShown{0};
    std::atomic<std::uint64_t> framesSkipped{0};  ///< by receiveNewest()
    std::atomic<std::uint64_t> skippedLater{0};   ///< by the consumer; see IncomingStream::setSkipped()
    std::uint64_t allSkipped() const { return framesSkipped + skippedLater; }
    /// From any thread; the number never falls.
    void setSkippedLater(std::uint64_t frames) {
        std::uint64_t before = skippedLater;
        while (before < frames && !skippedLater.compare_exchange_weak(before, frames)) {
        }
    }
    std::atomic<std::uint64_t> bytes{0};
    PathTotals paths;  ///< of all tracks
    std::atomic<TimestampNs> firstAt{0};
    std::atomic<TimestampNs> lastAt{0};
    std::atomic<TimestampNs> clockError{0};
    LatencyRecorder latency, capture, post, wire;  ///< recorded after the consumer took the frame
    LatencyRecorder show, toScreen;                ///< recorded by the consumer's thread
    LatencyRecorder inputToPicture;                ///< recorded by the thread that shows frames

  private:
    void makeMerge();
};

class ReceiverLink final : public Link {
  public:
    /// `rail`: which of the stream's rails it is, if any.
    ReceiverLink(Guest guest, const LinkOptions& options, ReceiverShared& shared,
                 std::optional<std::uint8_t> rail = std::nullopt);
    ~ReceiverLink() override;

    // From any thread:
    bool streaming() const { return streaming_; }
    bool inputAllowed() const { return (peer().features & kTakesInput) != 0; }
    /// Queues an event whose sequence is higher than those before. Returns false if hundreds wait already.
    bool sendInput(const InputMessage& message);
    /// The format last announced for the main track, or null.
    std::shared_ptr<const VideoFormat> format() const;

    /// Call after run(): gives back to a sender that shares memory what is not being looked at.
    void letGo();
    /// Call after that, before the next connection uses the rings: the peer can no longer write into them.
    /// What giveRingsBack() says applies here, too.
    void hangUp();
    /// Hangs up and gives up the rings, except for frames that the consumer holds. Only what is for any
    /// thread may be called afterwards.
    void giveRingsBack();

    // For its tracks:
    /// Which part of the track's pictures of that format is wanted; nullopt: all.
    std::optional<PictureRegion> regionOf(TrackId track, const TrackFormat& format) const;
    /// Whether the sender can send no more than a region.
    bool senderCuts() { return (peer().features & kCutsRegions) != 0 && !path().reachesMany(); }
    /// Whether it can send that into a larger picture.
    bool senderPlaces() const { return (peer().features & kPlacesParts) != 0; }
    /// Null: frames of that track go into rings of its own.
    PartPlacer* placer(TrackId track) const { return track == kMainTrack ? shared_.placer : nullptr; }
    std::uint32_t slots() const { return shared_.slots; }
    RingMemory& ringMemory() { return shared_.ringMemory; }
    /// Null: frames of that track are returned in main memory.
    DeviceLanding* landing(TrackId track) { return track == kMainTrack ? shared_.landing.get() : nullptr; }
    RingMemory::Owner ringOwner(TrackId track) const { return rail_ * kMaxTracks + track; }
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
    void onOfferRefused(RingId ring, const std::string& reason) override;
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrameLost(RingId ring, const FrameInfo& info) override;

    ReceiverTrack* wanted(TrackId id);
    ReceiverTrack& ownerOf(RingId ring) const;
    bool finishStream();
    bool flushInput();
    void hear(const RailOrder& order);
    void sendReport();
    // Showing together with other displays: receiver_link_together.cpp
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
    std::uint64_t session_ = 0;  // ReceivedFrame::session of its frames
    std::shared_ptr<Outbox> outbox_;
    ClockTie tie_;
    KeptClock kept_;
};

}  // namespace verbcast

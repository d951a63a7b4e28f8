// The viewers of a broadcast: who is there, who has room, who left and why.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/multicast/group_hub.h"
#include "core/stream/send/backlogs.h"
#include "core/stream/send/patience.h"
#include "core/stream/send/viewer.h"
#include "core/sync/locked_display.h"

namespace verbcast {

struct AudienceOptions : TrackPolicies, LinkOptions {
    std::uint32_t slots = 8;      ///< most frames held for sending, over all receivers
    std::uint32_t heldLimit = 0;  ///< most held by one of them; 0: as many as it asks for
    std::uint32_t maxReceivers = 16;
    bool allowInput = false;
    bool hasSound = false;          ///< tells receivers that there is, or will be, sound on kSoundTrack
    SyncMode sync = SyncMode::Off;  ///< displays show together
    /// Lossless: disconnects a receiver that takes nothing for this long while the source waits for it.
    std::chrono::milliseconds stallTimeout{30'000};
    /// Lossless: how long one peer's receivers may hold the others up; see Patience.
    std::chrono::milliseconds patience{3'000};
    ArmedEvent* joined = nullptr;       ///< may be null; set when a receiver comes; must outlive the audience
    std::shared_ptr<GroupHub> group{};  ///< may be null; shared with the links that send by it
};

/// For frames in memory that a receiver cannot be sent from.
class FrameCopier {
  public:
    virtual ~FrameCopier() = default;
    /// A copy of the frame in memory of our own; empty if there is no room.
    virtual QueuedFrame copy(const QueuedFrame& frame, const std::string& reason) = 0;
};

/// One thread submits (distribute(), hasRoom(), finish()), or one for each track; the rest is thread-safe.
class Audience {
  public:
    explicit Audience(const AudienceOptions& options);
    /// Says goodbye to all and waits for their ends.
    ~Audience();

    SenderShared& shared() { return shared_; }
    const SenderShared& shared() const { return shared_; }

    /// Adds a receiver that has greeted. Sends it what follows and, if lossless, first what its last
    /// connection may have lost. Returns what is set once this connection has ended.
    std::shared_ptr<const Event> add(PeerConnection peer);
    bool full() const { return count() >= options_.maxReceivers; }
    /// Lossless: whether a receiver has come back before its last connection has ended here. What that did
    /// not deliver is not known yet.
    bool stillServes(std::uint64_t instance) const;
    /// Number of receivers, each counted once however many connections it has.
    std::size_t count() const;
    /// Whether that caller is one more connection of a viewer that is there,
    bool serves(const Hello& caller) const;
    /// and why it cannot come in then; nullopt: it can.
    std::optional<Refuse> objectionTo(const Hello& caller) const;
    /// Whether frames go to one of them as bytes.
    bool framesTravel() const;
    /// Joins and forgets those that have ended.
    void removeEnded();
    /// Set when a receiver has ended, for the thread that admits or connects. One thread waits.
    const Event& ended() const { return ended_; }

    /// A track's format or pool has changed: receivers that come later are told at once.
    void setCurrent(const CurrentFormat& current);
    /// How many slots the source of that pool has: if its pools have one each, as many as it may have sent.
    std::uint32_t slotsOf(const FramePool& pool) const {
        return pool.slotCount() > 1 ? pool.slotCount() : options_.slots;
    }
    /// Gives the frame to all; has it copied at most once. Returns how many receivers there are.
    std::size_t distribute(const QueuedFrame& frame, FrameCopier& copier);
    /// Call while the submitting thread spins.
    void serveMeanwhile();
    /// Whether serveAhead() pays: for viewers that share memory, if each has a processor to spin on.
    bool servesAhead() const;
    /// Call shortly before a frame is submitted: takes news, and wakes viewers, which spin until it comes.
    void serveAhead(TimestampNs due);
    /// Of a lossless track: whether every receiver has room; sets `receivers` to how many there are.
    /// Disconnects those that have stalled, or that have held others up for too long: these come back with
    /// Policy::Latest.
    bool hasRoom(TrackId track, std::size_t& receivers);
    void finish(const std::string& reason);
    /// Null: displays show frames when they like.
    FrameLock* frameLock() { return frameLock_ ? &*frameLock_ : nullptr; }
    const FrameLock* frameLock() const { return frameLock_ ? &*frameLock_ : nullptr; }
    /// Ends every connection now, and tells its receiver why. Thread-safe.
    void stop(const std::string& reason);

    /// Those that are there, in the order in which they came.
    std::vector<ReceiverStats> receivers() const;
    struct Viewers {
        std::vector<ViewerStats> each;   ///< those that have left, then those that are there
        ViewerStats earlier;             ///< the sums of those that are not in `each`
        std::uint64_t earlierCount = 0;  ///< how many those are
    };
    Viewers viewers() const;
    /// Receivers that left since the last call while others stayed. Cheap when there is none.
    std::vector<std::string> takeDepartures();
    bool anyDepartures() const { return anyDepartures_; }
    struct Past {
        bool anyEnded = false;  ///< one that had been ready has
        SessionEnd lastEnd;
        std::string lastReason;  ///< why the last connection uses its transport
        std::uint64_t connections = 0, lost = 0;
        std::exception_ptr failure;  ///< of our own side, over any connection
    };
    Past past() const;
    /// Notes how connecting ended without a receiver.
    void noteEnd(const SessionEnd& end);

  private:
    using Runner = Viewer::Runner;
    using Full = std::vector<Viewer*>;

    struct Missing {
        std::vector<Imports::Answer> imports;  ///< to be waited for; empty: the frame is to be copied
        std::string copyReason;
    };

    template <typename Serve>
    void serveAll(Serve&& serve);
    void onEnd(Runner& runner);
    std::uint32_t slotsFor(const QueuedFrame& frame) const;
    // With mutex_ held, except mayLinger():
    template <typename Visit>
    void eachAlive(Visit&& visit) const;
    Viewer* viewerOf(const Hello& caller) const;
    void keepAccount(Runner& runner);
    void noteDeparture(std::string text);
    void countKeptSlots();
    std::unique_ptr<Viewer> makeViewer(const PeerConnection& peer, std::uint64_t id);
    std::shared_ptr<const Event> begin(PeerConnection peer, std::uint64_t id, Viewer& viewer);
    std::optional<Missing> missingFor(const QueuedFrame& frame, bool copied);
    std::optional<QueuedFrame> reachAll(const QueuedFrame& frame, FrameCopier& copier,
                                        std::unique_lock<std::mutex>& lock);
    ReceiverStats described(const Viewer& viewer, const SenderLink& link) const;
    void evict(SlotBudget::Holder holder);
    void evictStalled(const Full& full, TimestampNs now);
    void evictImpatiently(const Full& full, std::size_t receivers, TimestampNs now);
    bool yields(const PeerConnection& peer);
    bool mayLinger() const;

    const AudienceOptions options_;
    SenderShared shared_;
    std::optional<FrameLock> frameLock_;
    Event ended_;
    std::atomic<bool> anyDepartures_{false};
    std::atomic<bool> anyYields_{false};       // a receiver of a lossless source may miss frames
    std::atomic<std::uint32_t> keptSlots_{0};  // Viewer::keptSlots(), of the one that keeps the most

    const unsigned processors_ = std::thread::hardware_concurrency();
    mutable std::mutex
        mutex_;  // guards the members below; taken once per frame, contended only when one comes or goes
    std::vector<CurrentFormat> current_;   // of each track
    std::vector<std::string> departures_;  // the newest, until somebody asks
    Past past_;
    Backlogs backlogs_;
    Patience patience_;
    ViewerList accounts_;
    std::optional<TimestampNs> heldUpSince_;  // the source, by viewers without room
    TimestampNs lookedAt_ = 0;                // whether they have room
    TimestampNs evictedAt_ = 0;               // when one last had stalled
    bool finished_ = false;                   // nothing is kept for those that come back
    std::string finishReason_;
    std::vector<std::unique_ptr<Viewer>> viewers_;  // last: their threads use everything above
};

/// Uses the audience until it is destroyed. Thread-safe.
class Admission {
  public:
    virtual ~Admission() = default;
    /// Where it listens; empty if it dials.
    virtual std::vector<std::string> addresses() const = 0;
    /// Lets nobody else in.
    virtual void close() = 0;
    /// Rethrows why there will be no receiver, if that is so.
    virtual void rethrowFailure() const = 0;
};

}  // namespace verbcast

// One incoming stream, over all of its connections.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_receiver.h"
#include "core/flow/received_frame.h"
#include "core/regions/part_placer.h"
#include "core/session/link_runner.h"
#include "core/stats/stream_stats.h"
#include "core/stream/receive/attachments.h"
#include "core/stream/receive/receiver_link.h"
#include "core/sync/presenting_stream.h"

namespace verbcast {

/// What a viewer shows of its stream. After a session has ended: stateAfter().
enum class StreamState {
    Waiting,     ///< listening; no sender yet
    Connecting,  ///< trying to reach the sender, again and again
    Connected,   ///< a sender is there; no frame yet
    Streaming,
    Lost,    ///< the sender vanished; trying again (or finished, if told not to)
    Ended,   ///< the sender said that the stream is over
    Failed,  ///< an error ended it for good: see ReceiverStatus::text
};

StreamState stateAfter(const SessionEnd& end);

struct ReceiverStatus {
    StreamState state = StreamState::Waiting;
    std::string text;               ///< "waiting for a sender on tcp://0.0.0.0:7423"
    ConnectionDescription channel;  ///< of the current or last connection
    PeerTrust trust{};              ///< of its sender
    std::string transportReason;    ///< why that transport: "same host"
    std::string copyReason{};       ///< why frames do not arrive in the device of IncomingOptions; else ""
    std::string peerName;
    std::string senderReason;  ///< Lost, Ended: what the sender said or how it was lost; Failed: the remedy
};

/// What a viewer wants of a track.
struct TrackWish {
    TrackContent content = TrackContent::Frames;
    RegionWish region{};           ///< only this part of its pictures; empty: all of them
    PartPlacer* placer = nullptr;  ///< for a region of a picture that several senders make; must outlive the
                                   ///< stream; may be null
    /// Returns frames in this device's memory (DeviceLease::of()); null: in main memory. Returns none while
    /// the consumer holds as many as there may be. Shared with the caller.
    std::shared_ptr<const DeviceAllocator> device{};
    /// Frames that arrive in main memory, since the path or the sender's ring is no other, are copied into
    /// the device; false: they stay there.
    bool copiesToDevice = true;
};

/// Its own wish is that of the first track.
struct IncomingOptions : TrackWish, LinkOptions {
    std::vector<TrackWish> further{};  ///< tracks from 1 on; all others are declined
    std::uint32_t slots = 8;           ///< most frames of a track held, 2 to 64; of sound, kSoundSlots
    std::optional<std::uint64_t> maxMemory{};  ///< bytes; see RingMemory
    FrameLockListener* frameLock = nullptr;    ///< shows the frames when the sender says so; must outlive the
                                               ///< stream; may be null
    bool takesRails = false;                   ///< several connections at a time, rails of one stream
};

/// The acceptor or connector gives it connections, one at a time or, if they say that they belong together,
/// several; one thread receives each track; the rest may be called from any thread.
class IncomingStream {
  public:
    /// Called on a thread of the stream when a connection has ended, unless we ended it, with whether frames
    /// had come. Returns true if that was the last one: then receive() returns Closed once all is taken.
    using OnEnd = std::function<bool(const SessionEnd& end, bool hadFrames)>;
    /// Throws Error{Usage} for options out of range.
    IncomingStream(const IncomingOptions& options, OnEnd onEnd);
    virtual ~IncomingStream() { endLinks(); }

    // For the acceptor or connector:
    /// Returns what is to be told of it, if anything: "rail 2 of 2 is there again: ...". Throws Error{Peer}
    /// for a connection that does not fit those that are there.
    std::string attach(PeerConnection peer);
    /// Over any connection.
    bool connected() const { return connected_ != 0; }
    /// Waits until that connection has ended (0 if there is one at a time). Returns whether it has.
    bool waitForEnd(std::uint8_t lane, Deadline deadline, const Event& cancel);
    /// Whether that sender's connection can be attached now.
    bool takes(const Hello& sender) const;
    void setState(StreamState state, const std::string& text);
    /// There was a session, or should have been one: sets what the status says of its end.
    void noteEnd(const SessionEnd& end);
    /// There will be no further connection, because of `failure`.
    void fail(const std::exception_ptr& failure);
    /// There will be no further connection.
    void close();
    bool over() const { return over_; }
    /// Tells the sender that was attached last from others (Handshake::peer()); 0 before.
    std::uint64_t instance() const { return instance_; }

    // For one consuming thread of each track that is wanted:
    /// Receives the track's next frame in order. Returns TimedOut, Cancelled after cancel(), or Closed after
    /// an end of stream or a loss that is final. Rethrows the error if the state is Failed. info.rects say
    /// what changed since the frame returned before.
    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout, TrackId track = kMainTrack);
    /// Like receive(), for a thread that consumes two tracks: TimedOut also while `other` has a frame.
    Status receiveUnless(TrackId other, ReceivedFrame& frame, std::chrono::nanoseconds timeout,
                         TrackId track = kMainTrack);
    /// Like receive(), but returns the newest frame there is and counts the older ones as skipped.
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout, TrackId track = kMainTrack);
    /// For a consumer that sleeps elsewhere, after leaveServing(): returns false if receive() need not wait.
    /// Else descriptor() is readable, perhaps spuriously, as soon as that is so, until the next receive().
    bool arm(TrackId track);
    /// For that descriptor: there may be room again in the track's device.
    void leaseDropped(TrackId track);
    int descriptor(TrackId track) { return shared_.tracks.at(track).available().descriptor(); }

    /// Call after reading a frame, before believing what was read: returns whether it was intact. With shared
    /// memory, a sender reuses the slots of a viewer that it has disconnected, even while they are being
    /// read. A frame that was not intact counts as dropped, or as lost. Do not call it once the lease was
    /// dropped.
    bool confirm(const ReceivedFrame& frame) { return of(frame).confirm(frame); }
    /// The frame is on the screen (or consumed), since its shownAt or now: feeds frames_shown and the show
    /// latency. Not if it does not fit, so that something else is shown.
    void frameShown(const ReceivedFrame& frame);
    /// How many of the frames that were received the consumer has passed over without showing them, so far:
    /// they count as skipped, at the sender, too. The number never falls.
    void setSkipped(std::uint64_t frames, TrackId track = kMainTrack) {
        shared_.tracks.at(track).setSkippedLater(frames);
    }

    /// How many frames of the track have made way for newer ones.
    std::uint64_t skipped(TrackId track) const { return shared_.tracks.at(track).skipped(); }

    /// Whether the connected sender takes input.
    bool inputAllowed() const;
    /// Whether it has sound, on kSoundTrack.
    bool hasSound() const;
    /// Sends an event to the sender. The frame that first shows its effect has an info.inputSequence that is
    /// the event's number or higher; frameShown() of it feeds the input-to-picture time. Returns the event's
    /// number, or 0 if the sender takes none, is not connected, or does not read. Throws Error{Usage} for
    /// more data than kMaxInputData.
    std::uint64_t sendInput(const InputEvent& event);
    /// Ends all waits and says goodbye to the sender.
    virtual void cancel();
    /// Ends all waits with Cancelled, and lets none begin until it is called with false.
    void interrupt(bool on);
    bool interrupted() const { return interrupted_; }
    /// From now on no consumer serves a connection, even of a shared ring: frames come by the connections'
    /// threads. For consumers that sleep on descriptor().
    void leaveServing();
    StatusChanges& changes() { return shared_.changes; }
    ReceiverStatus status() const;
    /// Statistics of the connections and of that track.
    StreamStats stats(TrackId track = kMainTrack);

  protected:
    /// For destructors of what is built on this: cancels, and waits until onEnd() is called no more.
    void endLinks();

  private:
    using Runner = LinkRunner<ReceiverLink>;

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout, IncomingTrack& track, bool newest,
                   IncomingTrack* other = nullptr);
    Status takeNext(ReceivedFrame& frame, std::chrono::nanoseconds timeout, IncomingTrack& track,
                    IncomingTrack* other = nullptr);
    Status takeNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout, IncomingTrack& track);
    Status awaitRoom(DeviceReceiver& device, const IncomingTrack& track, const Deadline& deadline);
    void wakeAll();
    void stopLinks(std::string_view reason);
    std::optional<SoundStats> soundStats();

    const TrackWish& wishFor(TrackId track) const;
    void begin(PeerConnection peer, std::uint8_t lane, bool others);
    void noteEndLocked(const SessionEnd& end);
    void onEnd(Runner& runner, std::uint8_t lane, std::uint64_t framesBefore);
    void laneEnded(Runner& runner, std::uint8_t lane);
    std::shared_ptr<Runner> primary() const;
    std::shared_ptr<Runner> inputRunner();
    std::shared_ptr<Runner> runnerOf(std::uint8_t lane) const;
    std::shared_ptr<Runner> runnerToServe(TrackId track) const;
    void awaitChange(std::chrono::nanoseconds timeout, IncomingTrack& track, IncomingTrack* other);
    IncomingTrack& of(const ReceivedFrame& frame) { return shared_.tracks[frame.info.track]; }
    void recordInputShown(std::uint64_t inputSequence, TimestampNs at);
    Status finished();

    const IncomingOptions options_;
    const OnEnd onEnd_;
    ReceiverShared shared_;
    std::vector<std::unique_ptr<DeviceReceiver>> devices_;  // of each track; null: main memory
    std::optional<DisplaySessions> displaySessions_;
    Event cancel_;
    std::array<ArmedEvent, kMaxLanes> detached_;
    std::array<Attachments, kMaxLanes> attachments_;
    std::atomic<bool> cancelled_{false};  // cancel_ was set: read without a system call
    std::atomic<bool> interrupted_{false};
    std::atomic<bool> consumersServe_{true};
    std::atomic<bool> over_{false};
    std::atomic<std::uint32_t> connected_{0};  // a bit for each lane that has a link
    std::atomic<std::uint64_t> instance_{0};
    std::atomic<std::uint64_t> framesBefore_{0};  // frames received before the current connections
    std::atomic<TimestampNs> connectStartedAt_{0};
    std::atomic<TimestampNs> firstShownAfter_{0};

    struct PendingInput {
        std::uint64_t sequence;
        TimestampNs sentAt;
    };
    mutable std::mutex inputMutex_;  // guards the members below and the recording of input-to-picture times
    std::deque<PendingInput> pendingInput_;
    std::uint64_t lastInput_ = 0;

    std::mutex attaching_;      // held while one attaches: of two that come at once, one is the first
    mutable std::mutex mutex_;  // guards the members below; never held per frame
    ReceiverStatus status_;
    std::array<std::shared_ptr<const VideoFormat>, kMaxTracks> lastFormats_;
    std::exception_ptr failure_;
    const std::unique_ptr<Gathering> gathering_;
    std::array<std::shared_ptr<Runner>, kMaxLanes> runners_;  // shared with the consumer while it serves
    std::weak_ptr<Runner> inputRunner_;                       // the one that carries input
};

}  // namespace verbcast

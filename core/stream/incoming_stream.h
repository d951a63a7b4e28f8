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

#include "core/base/os/early_wake.h"
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

struct IncomingOptions {
    std::uint32_t slots = 8;   ///< most frames of a track held, 2 to 64
    std::uint16_t tracks = 1;  ///< takes tracks with lower numbers, declines others; 1 to kMaxTracks
    std::optional<std::uint64_t> maxMemory{};    ///< bytes; see RingMemory
    bool poll = false;                           ///< spin instead of sleeping
    std::chrono::milliseconds peerTimeout{900};  ///< silence after which the peer counts as lost
    RegionWish region{};  ///< of the main track: only this part of its pictures is wanted; empty: all
    FrameLockListener* frameLock = nullptr;  ///< shows the frames when the sender says so; must outlive the
                                             ///< stream; may be null
    PartPlacer* placer = nullptr;  ///< for the main track with a region; must outlive the stream; may be null
    bool takesRails = false;       ///< several connections at a time, rails of one stream
    /// Returns frames of the main track in this device's memory (DeviceLease::of()); null: in main memory.
    /// Returns none while the consumer holds `slots` frames there. Shared with the caller.
    std::shared_ptr<const DeviceAllocator> device{};
    /// Frames that arrive in main memory, since the path or the sender's ring is no other, are copied into
    /// the device; false: they stay there.
    bool copiesToDevice = true;
};

/// The acceptor or connector gives it connections, one at a time or, if they say that they belong together,
/// several; one thread receives; the rest may be called from any thread.
class IncomingStream {
  public:
    /// Called on a thread of the stream when a connection has ended, unless we ended it, with whether frames
    /// had come. Returns true if that was the last one: then receive() returns Closed once all is taken.
    using OnEnd = std::function<bool(const SessionEnd& end, bool hadFrames)>;
    /// Throws Error{Usage} for options out of range.
    IncomingStream(const IncomingOptions& options, OnEnd onEnd);
    ~IncomingStream();

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

    // For one consuming thread:
    /// Receives the next frame in order. Returns TimedOut, Cancelled after cancel(), or Closed when the
    /// stream is over. Rethrows what fail() was given. info.rects say what changed since the track's frame
    /// returned before.
    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    /// Like receive(), but returns the newest frame there is and counts the older ones as skipped.
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout);

    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame) { return shared_.confirm(frame); }
    /// The frame is on the screen (or consumed), since its shownAt or now: feeds frames_shown and the show
    /// latency. Not if it does not fit, so that something else is shown.
    void frameShown(const ReceivedFrame& frame);
    /// See FrameReceiver.
    void setSkipped(std::uint64_t frames) { shared_.setSkippedLater(frames); }
    bool inputAllowed() const;
    std::uint64_t sendInput(const InputEvent& event);
    /// Ends all waits and says goodbye to the sender.
    void cancel();
    ReceiverStatus status() const;
    StreamStats stats();

  private:
    using Runner = LinkRunner<ReceiverLink>;

    Status takeNext(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    Status takeNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    Status receiveOnDevice(ReceivedFrame& frame, std::chrono::nanoseconds timeout, bool newest);
    void stopLinks(std::string_view reason);

    void begin(PeerConnection peer, std::uint8_t lane, bool others);
    void noteEndLocked(const SessionEnd& end);
    void onEnd(Runner& runner, std::uint8_t lane, std::uint64_t framesBefore);
    void laneEnded(Runner& runner, std::uint8_t lane);
    std::shared_ptr<Runner> primary() const;
    std::shared_ptr<Runner> inputRunner();
    std::shared_ptr<Runner> runnerOf(std::uint8_t lane) const;
    std::shared_ptr<Runner> runnerToServe() const;
    void awaitChange(std::chrono::nanoseconds timeout);
    bool take(ReceivedFrame& frame);
    void recordPassage();
    void recordInputShown(std::uint64_t inputSequence, TimestampNs at);
    Status finished();

    const IncomingOptions options_;
    const OnEnd onEnd_;
    ReceiverShared shared_;
    const std::unique_ptr<DeviceReceiver> device_;  // null: frames are returned in main memory
    std::optional<DisplaySessions> displaySessions_;
    Event cancel_;
    std::array<ArmedEvent, kMaxLanes> detached_;
    std::array<Attachments, kMaxLanes> attachments_;
    std::atomic<bool> cancelled_{false};  // cancel_ was set: read without a system call
    std::atomic<bool> over_{false};
    std::atomic<std::uint32_t> connected_{0};  // a bit for each lane that has a link
    std::atomic<std::uint64_t> instance_{0};
    std::atomic<std::uint64_t> framesBefore_{0};  // frames received before the current connections
    TimestampNs lastWait_ = 0;  // for the previous frame: tells whether a spin would find the next
    SpinAllowance spins_;       // for frames that the peer has announced
    /// What changed in the frames of each track that receiveNewest() has skipped since it last returned one.
    std::array<std::optional<PictureChanges>, kMaxTracks> skipped_;
    std::atomic<TimestampNs> connectStartedAt_{0};
    std::atomic<TimestampNs> firstShownAfter_{0};

    /// When the frame that the consumer took last passed the stages. Recording that in the histograms touches
    /// so many cold cache lines that it would cost the frame a microsecond, so it is done when the next is
    /// asked for.
    struct Passage {
        TimestampNs captureTime, postTime, latency, wireTime;
        bool clockKnown;
    };
    std::mutex passageMutex_;  // guards passage_ and the recording of the histograms
    std::optional<Passage> passage_;

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
    std::shared_ptr<const VideoFormat> lastFormat_;
    std::exception_ptr failure_;
    const std::unique_ptr<Gathering> gathering_;
    std::array<std::shared_ptr<Runner>, kMaxLanes> runners_;  // shared with the consumer while it serves
    std::weak_ptr<Runner> inputRunner_;                       // the one that carries input
};

}  // namespace verbcast

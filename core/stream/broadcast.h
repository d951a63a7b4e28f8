// The sending side: one source, many receivers. Serves viewers that connect, or connects to one.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/os/early_wake.h"
#include "core/base/os/event.h"
#include "core/session/session_address.h"
#include "core/stats/stream_stats.h"
#include "core/stream/audience_acceptor.h"
#include "core/stream/submission.h"
#include "core/transport/multicast/group_address.h"

namespace verbcast {

/// Frames of the source's pool that a preview holds: two that wait and one that is viewed.
inline constexpr std::uint32_t kPreviewSlots = 3;

/// Listens unless told otherwise. Its trust is for receivers; the preview serves only this user.
struct SenderOptions : AudienceOptions, SessionAddress {
    SenderOptions() { listen = true; }
    std::optional<Url> preview{};  ///< shm: one more viewer may watch there, see Broadcast
    /// Sends frames to this group, once for all viewers that ask for it; others are served one by one. Only
    /// for listeners that also listen on tcp.
    std::optional<multicast::GroupAddress> multicast{};
    std::string name;  ///< told to the peer; the host's name if empty
};

/// With SenderOptions::preview, one viewer on this machine may watch what is sent. It is not a receiver: it
/// is not waited for, appears in no statistics, is offered each frame after the receivers, sees the newest
/// one it has time for, and holds at most kPreviewSlots frames beside those of SenderOptions::slots. Of
/// frames in a GPU that it does not reach, it gets five copies a second.
///
/// One thread submits a track's frames; those of tracks that are lossless all come from one. receivers() and
/// stats() may be called from any. Connections run on threads of their own.
class Broadcast {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used (not when nobody is there yet).
    explicit Broadcast(const SenderOptions& options);
    ~Broadcast();

    /// Waits for at least one receiver. Returns Closed if there was one, it is gone, and reconnect is false,
    /// and after finish(). Throws if connecting failed for good. Returns TimedOut early when somebody begins
    /// to watch the preview.
    Status waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel);

    /// Sends a complete frame to all receivers. `info` needs pts, flags, capturedAt and, off the first track,
    /// `track`; the rest is filled in. A format other than that of the track's previous frame begins a new
    /// epoch, whose first frame counts as changed all over; frames may come from any number of pools. Memory
    /// that cannot be sent from directly is copied first. For video, `info.rects` may say what changed since
    /// the track's previous frame, wherever that lay; the slot still holds the whole picture. Without shared
    /// memory, only what the receiver's slot lacks is sent. Latest: never waits; without any receiver the
    /// frame counts as dropped. Lossless: waits until every receiver has room, except any that is lost
    /// meanwhile. Returns Busy if there is no receiver: the lease stays with the caller, who calls
    /// waitForReceiver() and submits again. Cancelled, Closed (see waitForReceiver()) and errors leave the
    /// lease, too.
    Status submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info, const Event& cancel) {
        return submit(std::move(lease), TrackFormat::ofVideo(format), format.payloadBytes, info, cancel);
    }
    /// The same for any kind of track; `payloadBytes` of the slot are sent. Throws Error{Usage} for an
    /// impossible track, a payload that the format does not allow, or changes outside the picture.
    Status submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                  const FrameInfo& info, const Event& cancel);

    /// Shows a frame to the preview only: what would be sent if there were a receiver. Never waits, and does
    /// not count the frame.
    void submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info) {
        showPreview(std::move(lease), TrackFormat::ofVideo(format), format.payloadBytes, info);
    }
    bool previewWatched() const { return preview_ && preview_->count() > 0; }

    /// Lossless: waits until the track's last frame has left for a receiver (the first one leaves once its
    /// format is accepted), or there is no receiver.
    Status waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel, TrackId track = kMainTrack);

    /// For the submitting thread while it has nothing to submit: waits until the descriptor is readable,
    /// takeDepartures() has something to report, or there is no receiver.
    Status waitForReadable(int descriptor, std::chrono::nanoseconds timeout, const Event& cancel);

    /// For the submitting thread: waits until the next frame is due. Returns false if `cancel` was set
    /// before. With `poll`, spins and serves the receivers meanwhile.
    bool waitUntilDue(TimestampNs due, const Event& cancel);

    /// Ends the stream and waits until every receiver has got all frames and said goodbye, or is lost.
    Status finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel);

    /// Appends what viewers have sent since the last call, in the order of serials, and a ReleaseAll for each
    /// that has left. Only with allowInput. Call from one thread, which need not be the submitting one. Then
    /// submit frames with `info.inputSequence` set to the last serial whose effect they show.
    void takeInput(std::vector<ViewerInput>& events) { audience_.shared().input.take(events); }
    /// Wakes the taking thread: arm it, take once more, then sleep on its descriptor.
    ArmedEvent& inputAvailable() { return audience_.shared().input.available(); }

    std::size_t receiverCount() const { return audience_.count(); }
    /// Whether frames go to some receiver as bytes, not as names of shared memory.
    bool framesTravel() const { return audience_.framesTravel(); }
    std::vector<ReceiverStats> receivers() const { return audience_.receivers(); }
    /// Of the connections, and of the first track's frames.
    StreamStats stats() const;
    /// Receivers that left since the last call while others stayed: "wall (process 77) is gone: ...". Cheap
    /// when there is none.
    std::vector<std::string> takeDepartures() { return audience_.takeDepartures(); }
    /// How the last receiver left, or what became of the attempt to reach one; no reason before.
    SessionEnd lastEnd() const { return audience_.past().lastEnd; }
    std::string transportReason() const { return audience_.past().lastReason; }
    std::vector<std::string> listenAddresses() const { return admission_->addresses(); }

  private:
    template <typename Done>
    Status waitForProgress(Done&& done, Deadline deadline, const Event& cancel,
                           std::initializer_list<int> more = {});
    void requireSuitable(const TrackFormat& format, TrackId track) const;
    Status waitForRoom(TrackId track, const Memory& memory, const Event& cancel);
    void showPreview(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                     const FrameInfo& info);
    bool over() const { return finished_ || (!options_.reconnect && audience_.past().anyEnded); }

    struct Track {
        std::shared_ptr<const Epoch> epoch;  // shared with its frames
        std::uint64_t afterLast = 0;         // sequence
    };

    const SenderOptions options_;
    const std::shared_ptr<GroupHub> group_;  // shared with the audience's links; may be null
    Audience audience_;
    Submission submission_;
    std::unique_ptr<Audience> preview_;
    std::unique_ptr<Submission> previewSubmission_;
    std::unique_ptr<AudienceAcceptor> previewAdmission_;
    std::string previewProblem_;
    std::atomic<bool> finished_{false};
    std::unique_ptr<Admission> admission_;  // last: their threads use the audiences
    EarlyWake early_;                       // for waitUntilDue()
    LatencyRecorder capture_;               // of the first track; recorded by the submitting thread
    std::array<Track, kMaxTracks> tracks_;
    mutable std::mutex epochMutex_;  // guards Track::epoch for stats()
};

}  // namespace verbcast

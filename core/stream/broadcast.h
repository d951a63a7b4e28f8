// The sending end: one source, many receivers. Serves viewers that connect, or connects to one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/session/trust/trust.h"
#include "core/stats/stream_stats.h"
#include "core/stream/send/sender_link.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/transport.h"

namespace verbcast {

/// Frames of the source's pool that a preview holds: two that wait and one that is looked at.
inline constexpr std::uint32_t kPreviewSlots = 3;

/// A multicast group to send to.
struct MulticastOptions {
    multicast::GroupAddress address{};
    int ttl = 1;
    std::uint64_t bitRate = 0;  ///< per second at most; 0: what the interfaces take
};

struct SenderOptions {
    Url url;
    bool listen = true;         ///< serve viewers at `url`; else connect to the viewer there,
    std::vector<Url> spares{};  ///< and by these, too: rails of one stream, of which `url` is the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;  ///< looks for other addresses of the peer at `url`: see findRails()
    Policy policy = Policy::Latest;
    std::uint32_t slots = 8;  ///< frames held at most for sending, over all receivers, 2 to 64
    std::uint32_t maxReceivers = 16;
    bool poll = false;
    Trust trust{};                 ///< of the receivers; the preview serves this user alone
    bool allowInput = false;       ///< take the input of viewers that may give it; else they are told so
    bool reconnect = true;         ///< after the last receiver left or was lost, wait for the next
    std::optional<Url> preview{};  ///< shm: one viewer more may watch there, see Broadcast
    /// Viewers that show when they are told show each frame at the same time; see PresentationGroup.
    SyncMode sync = SyncMode::Off;
    /// Frames leave by it, once for all viewers that ask for it; others are sent to one by one. Only where it
    /// listens, and by tcp, too.
    std::optional<MulticastOptions> multicast{};
    std::string name;  ///< told to the peer; the host's name when empty
    std::chrono::milliseconds peerTimeout{900};
    /// Lossless: a receiver that never accepted a frame or took nothing for so long is sent away.
    std::chrono::milliseconds stallTimeout{30'000};
    ArmedEvent* audience = nullptr;  ///< may be null: woken too when a receiver came; outlives the broadcast
};

/// With SenderOptions::preview, one viewer on this machine may watch what is sent. It is no receiver: it is
/// not waited for, appears in no figure, is offered each frame after the receivers, sees the newest one it
/// has time for, and holds at most kPreviewSlots frames beside those of SenderOptions::slots.
///
/// One thread submits; receivers() and stats() may be called from any. Connections run on threads of their
/// own.
class Broadcast {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used (not when nobody is there yet).
    explicit Broadcast(const SenderOptions& options);
    ~Broadcast();

    /// Waits for at least one receiver. Closed: there was one, it is gone, and reconnect is false, or
    /// connecting failed for good (then the failure is thrown). TimedOut comes early when somebody begins to
    /// watch the preview.
    Status waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel);

    /// Sends a complete frame to all receivers. `info` needs pts, flags, capturedAt and, for a frame that is
    /// not of the main track, `track`; the rest is filled in. A format or pool other than that of the track's
    /// frame before begins a new epoch. Memory that cannot be sent from as it lies is copied first.
    /// Of video `info.rects` may say what changed since the track's frame submitted before; the slot holds
    /// the whole picture all the same. Where memory is not shared, only what the receiver's slot lacks
    /// travels. Latest: never waits; with no receiver at all the frame counts as dropped. Lossless: waits
    /// until every receiver has room; one that is lost meanwhile is not waited for. Busy: there is no
    /// receiver; the lease stays with the caller, who calls waitForReceiver() and submits again. Cancelled
    /// likewise leaves the lease.
    Status submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info, const Event& cancel);
    /// The same for any kind of track; `payloadBytes` of the slot are sent. Throws Error{Usage} for a track
    /// that cannot be, a payload that the format does not allow, or changes outside the picture.
    Status submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                  const FrameInfo& info, const Event& cancel);

    /// Shows a frame to the preview alone: what would be sent if there were a receiver. Never waits; the
    /// frame is counted nowhere.
    void submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info);
    bool previewWatched() const;

    /// Lossless: waits until the last frame of the main track has left for a receiver, as the first one does
    /// once it was accepted; or until there is no receiver.
    Status waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel);

    /// For the submitting thread while it has nothing to submit: waits until the descriptor is readable,
    /// takeDepartures() has something to tell, or there is no receiver.
    Status waitForReadable(int descriptor, std::chrono::nanoseconds timeout, const Event& cancel);

    /// For the submitting thread: waits until the next frame is due. False when `cancel` was set before. With
    /// `poll` it spins and serves the receivers meanwhile.
    bool waitUntilDue(TimestampNs due, const Event& cancel);

    /// Says that the stream is over and waits until every receiver has all frames and said goodbye, or is
    /// lost.
    Status finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel);

    /// Appends what viewers have sent since the last call, in the order of its serials; when one leaves, a
    /// ReleaseAll in its name. Only with allowInput. One thread takes, which need not be the submitting one;
    /// it then submits with `info.inputSequence` set to the last serial whose effect the frame shows.
    void takeInput(std::vector<ViewerInput>& events);
    /// Wakes the taking thread: arm it, take once more, then sleep on its descriptor.
    ArmedEvent& inputAvailable();

    std::size_t receiverCount() const;
    /// To some receiver frames go as bytes, not as names of shared memory.
    bool framesTravel() const;
    std::vector<ReceiverStats> receivers() const;
    StreamStats stats() const;
    /// Receivers that left since the last call while others stayed: "wall (process 77) is gone: ...". Cheap
    /// when there is none.
    std::vector<std::string> takeDepartures();
    /// How the last receiver left, or "".
    std::string lastEnd() const;
    bool lastEndWasLoss() const;
    /// The viewer that was connected to serves paired hosts only: see LinkEnd::stranger.
    bool refusedAsStranger() const;
    std::string transportReason() const;
    std::vector<std::string> listenAddresses() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast

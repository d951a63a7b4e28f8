#include "core/stream/broadcast.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log/log.h"
#include "core/base/log/trace.h"
#include "core/base/os/early_wake.h"
#include "core/base/os/spin.h"
#include "core/base/os/wait_for.h"
#include "core/stream/audience_acceptor.h"
#include "core/stream/broadcast_options.h"
#include "core/stream/submission.h"
#include "core/video/picture_changes.h"

namespace verbcast {
namespace {

// How often a waiting lossless source checks for stalled receivers.
constexpr std::chrono::nanoseconds kStallCheck = std::chrono::milliseconds(500);

/// Of frames in a GPU whose memory the preview's viewer does not reach.
constexpr std::chrono::nanoseconds kBetweenPreviewCopies = std::chrono::milliseconds(200);

}  // namespace

class Broadcast::Impl {
  public:
    explicit Impl(const SenderOptions& options)
        : options_(options),
          group_(groupOf(options)),
          audience_(audienceOptions(options, group_)),
          submission_(audience_) {
        if (options.preview) {
            preview_ = std::make_unique<Audience>(previewOptions(options, audience_.shared().progress));
            previewSubmission_ = std::make_unique<Submission>(
                *preview_, Submission::CopyLimits{kBetweenPreviewCopies, kPreviewSlots + 1});
            HandshakeOptions handshake = greetingOf(options);
            handshake.features = 0;
            handshake.trust = {};
            previewAdmission_ = std::make_unique<AudienceAcceptor>(*options.preview, handshake, *preview_);
        }
        admission_ = admissionTo(audience_, options);
        if (group_) {
            group_->announce(fallbackPortOf(admission_->addresses()));
        }
    }

    Status waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel);
    Status submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                  const FrameInfo& info, const Event& cancel);
    void submitPreview(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                       const FrameInfo& info);
    bool previewWatched() const { return preview_ && preview_->count() > 0; }
    Status waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel);
    Status waitForReadable(int descriptor, std::chrono::nanoseconds timeout, const Event& cancel);
    bool waitUntilDue(TimestampNs due, const Event& cancel);
    Status finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel);
    StreamStats stats() const;
    Audience& audience() { return audience_; }
    const Admission& admission() const { return *admission_; }

  private:
    /// Like waitFor(), on the receivers' progress.
    template <typename Done>
    Status waitForProgress(Done&& done, Deadline deadline, const Event& cancel,
                           std::initializer_list<int> more = {});
    Status waitForRoom(TrackId track, const Memory& memory, const Event& cancel);
    bool over() const { return !options_.reconnect && audience_.past().anyEnded; }

    const SenderOptions options_;
    const std::shared_ptr<GroupHub> group_;  // shared with the audience's links; may be null
    Audience audience_;
    Submission submission_;
    std::unique_ptr<Audience> preview_;
    std::unique_ptr<Submission> previewSubmission_;
    std::unique_ptr<AudienceAcceptor> previewAdmission_;
    std::string previewProblem_;
    std::unique_ptr<Admission> admission_;    // last: their threads use the audiences
    EarlyWake early_;                         // for waitUntilDue()
    std::shared_ptr<const Epoch> mainEpoch_;  // shared with its frames
    std::uint64_t afterLast_ = 0;             // sequence, of the main track
    mutable std::mutex epochMutex_;           // guards mainEpoch_ for stats()
};

template <typename Done>
Status Broadcast::Impl::waitForProgress(Done&& done, Deadline deadline, const Event& cancel,
                                        std::initializer_list<int> more) {
    return waitFor(
        audience_.shared().progress,
        [&] {
            if (done()) {
                return true;
            }
            admission_->rethrowFailure();
            return false;
        },
        deadline, &cancel, more);
}

Status Broadcast::Impl::waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel) {
    bool gone = false;
    bool early = false;
    const bool watched = previewWatched();
    const Status status = waitForProgress(
        [&] {
            if (audience_.count() > 0) {
                return true;
            }
            gone = over();
            early = !watched && previewWatched();
            return gone || early;
        },
        Deadline::in(timeout), cancel);
    return gone ? Status::Closed : early ? Status::TimedOut : status;
}

Status Broadcast::Impl::waitForRoom(TrackId track, const Memory& memory, const Event& cancel) {
    Status outcome = Status::Ok;
    const auto decided = [&] {
        std::size_t receivers = 0;
        if (!audience_.hasRoom(receivers) || (receivers > 0 && !submission_.hasRoomFor(track, memory))) {
            return false;
        }
        if (receivers == 0) {
            outcome = over() ? Status::Closed : Status::Busy;
        }
        return true;
    };
    for (;;) {
        const Status waited = waitForProgress(decided, Deadline::in(kStallCheck), cancel);
        if (waited != Status::TimedOut) {
            return waited == Status::Ok ? outcome : waited;
        }
    }
}

Status Broadcast::Impl::submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                               const FrameInfo& info, const Event& cancel) {
    if (info.track >= kMaxTracks || !format.allows(payloadBytes) || payloadBytes > lease.capacity()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("a frame of {} bytes on track {}: up to {} bytes on tracks 0 to {} expected",
                                payloadBytes, info.track, std::min(format.slotBytes(), lease.capacity()),
                                kMaxTracks - 1));
    }
    if (const auto problem = changesProblem(info, format)) {
        throw Error(ErrorKind::Usage, "a frame with " + *problem);
    }
    if (options_.policy == Policy::Lossless) {
        const Memory& memory = *lease.pool()->memory();
        if (const Status room = waitForRoom(info.track, memory, cancel); room != Status::Ok) {
            return room;
        }
    }
    QueuedFrame frame = submission_.make(std::move(lease), format, payloadBytes, info);
    if (info.track == kMainTrack && mainEpoch_ != frame.epoch) {
        const std::lock_guard lock(epochMutex_);
        mainEpoch_ = frame.epoch;
    }
    if (FrameLock* lock = audience_.frameLock(); lock != nullptr && info.track == kMainTrack) {
        const double rate = format.kind == TrackKind::Video ? format.video.frameRate.value() : 0;
        frame.forDisplays = lock->group().offer(
            frame.info, rate > 0 ? static_cast<TimestampNs>(std::min(1e9 / rate, 1e10)) : 0);
    }
    VERBCAST_TRACE_FRAME(frame_submitted, frame.info);
    std::size_t receivers = 0;
    try {
        receivers = submission_.distribute(frame);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Device) {
            audience_.stop(fmt::format("the sender's device has failed: {}", error.what()));
        }
        throw;
    }
    if (receivers == 0 && options_.policy == Policy::Lossless) {
        submission_.unmake(info.track);  // the last one was lost since there was room
        lease = std::move(frame.lease);
        return over() ? Status::Closed : Status::Busy;
    }
    if (info.track == kMainTrack) {
        early_.came(frame.info.submittedAt);
        afterLast_ = frame.info.sequence + 1;
        audience_.shared().capture.record(frame.info.submittedAt - frame.info.capturedAt);
    }
    if (preview_) {
        submitPreview(std::move(frame.lease), format, payloadBytes, info);
    }
    return receivers == 0 && over() ? Status::Closed : Status::Ok;
}

void Broadcast::Impl::submitPreview(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                                    const FrameInfo& info) {
    FrameInfo shown = info;
    shown.inputSequence = 0;  // the receivers' input, not the preview's
    shown.rectCount = 0;      // it gets frames that receivers do not, so the changes differ
    const QueuedFrame frame = previewSubmission_->make(std::move(lease), format, payloadBytes, shown);
    try {
        previewSubmission_->distribute(frame);
    } catch (const Error& error) {  // of a copy, without which the receivers go on
        if (error.what() != previewProblem_) {
            previewProblem_ = error.what();
            log(LogCategory::Stream).warn("no preview: {}", previewProblem_);
        }
    }
}

Status Broadcast::Impl::waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel) {
    const auto& nextUncounted = audience_.shared().frames[kMainTrack].nextUncounted;
    return waitForProgress([&] { return nextUncounted >= afterLast_ || audience_.count() == 0; },
                           Deadline::in(timeout), cancel);
}

Status Broadcast::Impl::waitForReadable(int descriptor, std::chrono::nanoseconds timeout,
                                        const Event& cancel) {
    return waitForProgress(
        [&] {
            return waitReadable({descriptor}, std::chrono::nanoseconds(0)) || audience_.anyDepartures() ||
                   audience_.count() == 0;
        },
        Deadline::in(timeout), cancel, {descriptor});
}

bool Broadcast::Impl::waitUntilDue(TimestampNs due, const Event& cancel) {
    if (options_.poll) {
        return spinUntil(due, cancel, [this] { audience_.serveMeanwhile(); });
    }
    const TimestampNs asked = nowNs();
    const bool early = audience_.servesAhead();
    const TimestampNs at = early ? early_.wakeFor(due, asked) : due;
    if (!waitUntil(at, cancel)) {
        return false;
    }
    const TimestampNs woken = nowNs();
    if (early && at > asked) {
        early_.woke(at, woken);
    }
    if (woken >= due) {
        return true;
    }
    audience_.serveAhead(due);
    const bool waited = spinUntil(due, cancel, [] {});
    early_.spun(nowNs() - woken);
    return waited;
}

Status Broadcast::Impl::finish(const std::string& reason, std::chrono::nanoseconds timeout,
                               const Event& cancel) {
    admission_->close();
    audience_.finish(reason);
    return waitForProgress([this] { return audience_.count() == 0; }, Deadline::in(timeout), cancel);
}

StreamStats Broadcast::Impl::stats() const {
    StreamStats stats;
    Audience::Viewers viewers = audience_.viewers();
    const Audience::Past past = audience_.past();
    const SenderShared& shared = audience_.shared();
    ViewerStats sum = viewers.earlier;
    std::ranges::for_each(viewers.each, [&](const ViewerStats& viewer) { addCounts(sum, viewer); });
    shared.totals.copyTo(stats);
    if (!viewers.each.empty()) {
        stats.transport = viewers.each.back().transport;
    }
    {
        const std::lock_guard lock(epochMutex_);
        if (mainEpoch_ && mainEpoch_->format.kind == TrackKind::Video) {
            stats.format = mainEpoch_->format.video;
        }
    }
    const FrameTotals& frames = shared.frames[kMainTrack];
    stats.framesTransferred = frames.sent;
    stats.framesDropped = frames.dropped;
    stats.framesSent = sum.framesSent;
    stats.framesShown = sum.framesShown;
    stats.framesSkipped = sum.framesSkipped;
    stats.bytes = sum.bytes;
    if (group_) {
        stats.group = group_->stats();
    }
    stats.seconds = static_cast<double>(frames.lastSentAt - frames.firstSentAt) * 1e-9;
    if (viewers.each.size() == 1 && viewers.earlierCount == 0) {
        stats.latency = viewers.each.front().latency;
        stats.clockErrorUs = viewers.each.front().clockErrorUs;
    }
    stats.stageCapture = shared.capture.snapshot().percentiles();
    stats.connections = past.connections;
    stats.connectionsLost = past.lost;
    stats.viewers = std::move(viewers.each);
    if (const FrameLock* lock = audience_.frameLock()) {
        stats.frameLock = lock->stats();
    }
    stats.viewersLeftOut = viewers.earlierCount;
    return stats;
}

Broadcast::Broadcast(const SenderOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Broadcast::~Broadcast() = default;
Status Broadcast::waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->waitForReceiver(timeout, cancel);
}
Status Broadcast::submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info,
                         const Event& cancel) {
    return impl_->submit(std::move(lease), TrackFormat::ofVideo(format), format.payloadBytes, info, cancel);
}
Status Broadcast::submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                         const FrameInfo& info, const Event& cancel) {
    return impl_->submit(std::move(lease), format, payloadBytes, info, cancel);
}
void Broadcast::submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info) {
    impl_->submitPreview(std::move(lease), TrackFormat::ofVideo(format), format.payloadBytes, info);
}
bool Broadcast::previewWatched() const {
    return impl_->previewWatched();
}
Status Broadcast::waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->waitUntilSent(timeout, cancel);
}
Status Broadcast::waitForReadable(int descriptor, std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->waitForReadable(descriptor, timeout, cancel);
}
bool Broadcast::waitUntilDue(TimestampNs due, const Event& cancel) {
    return impl_->waitUntilDue(due, cancel);
}
Status Broadcast::finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->finish(reason, timeout, cancel);
}
void Broadcast::takeInput(std::vector<ViewerInput>& events) {
    impl_->audience().shared().input.take(events);
}
ArmedEvent& Broadcast::inputAvailable() {
    return impl_->audience().shared().input.available();
}
std::size_t Broadcast::receiverCount() const {
    return impl_->audience().count();
}
bool Broadcast::framesTravel() const {
    return impl_->audience().framesTravel();
}
std::vector<ReceiverStats> Broadcast::receivers() const {
    return impl_->audience().receivers();
}
StreamStats Broadcast::stats() const {
    return impl_->stats();
}
std::vector<std::string> Broadcast::takeDepartures() {
    return impl_->audience().takeDepartures();
}
SessionEnd Broadcast::lastEnd() const {
    return impl_->audience().past().lastEnd;
}
std::string Broadcast::transportReason() const {
    return impl_->audience().past().lastReason;
}
std::vector<std::string> Broadcast::listenAddresses() const {
    return impl_->admission().addresses();
}

}  // namespace verbcast

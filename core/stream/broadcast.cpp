#include "core/stream/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/log/log.h"
#include "core/base/log/trace.h"
#include "core/base/os/spin.h"
#include "core/flow/slot_count.h"
#include "core/multirail/rail_search.h"
#include "core/session/messages/placing.h"
#include "core/stream/audience_dialler.h"
#include "core/transport/registry.h"
#include "core/video/picture_changes.h"

namespace verbcast {
namespace {

// How often a waiting lossless source checks for stalled receivers.
constexpr std::chrono::nanoseconds kStallCheck = std::chrono::milliseconds(500);

/// Of frames in a GPU whose memory the preview's viewer does not reach.
constexpr std::chrono::nanoseconds kBetweenPreviewCopies = std::chrono::milliseconds(200);

/// Null without a multicast group. Throws what GroupHub throws, and Error{Usage} if there can be no group.
std::shared_ptr<GroupHub> groupOf(const SenderOptions& options) {
    if (!options.multicast) {
        return nullptr;
    }
    if (!options.listen) {
        throw Error(ErrorKind::Usage, "a multicast group with one viewer that is connected to",
                    "leave out --to: viewers find the sender by the group");
    }
    GroupOptions group;
    group.address = *options.multicast;
    group.lossless = !mayDrop(options.policyOf(0));
    // A sender that lets in unknown peers would have to tell them the key, too, and anybody could hear it.
    group.tagged = (options.trust.key || options.trust.book) && !options.trust.open;
    group.encrypted = group.tagged && options.trust.encrypt;
    group.name = options.name.empty() ? hostName() : options.name;
    if (options.trust.key) {
        group.key = options.trust.key->key;
    }
    return std::make_shared<GroupHub>(group);
}

/// Port of the fallback's listener among these, which viewers of a group connect to.
std::uint16_t fallbackPortOf(const std::vector<std::string>& addresses) {
    const std::string_view scheme = fallbackTransport().scheme;
    for (const std::string& address : addresses) {
        if (const Url url = parseUrl(address); url.scheme == scheme) {
            return url.port;
        }
    }
    throw Error(
        ErrorKind::Usage,
        fmt::format("a multicast group without a {0} port: viewers ask by {0} for what was lost", scheme),
        fmt::format("leave out the scheme of --listen, or give {}://", scheme));
}

AudienceOptions audienceOptions(const SenderOptions& options, std::shared_ptr<GroupHub> group) {
    AudienceOptions audience = options;
    audience.slots = checkedSlots(options.slots);
    audience.group = std::move(group);
    return audience;
}

AudienceOptions previewOptions(const SenderOptions& options, ArmedEvent& joined) {
    AudienceOptions preview;
    preview.slots = kPreviewSlots + 1;  // and the one that is being captured
    preview.heldLimit = 1;              // beside the two that wait
    preview.maxReceivers = 1;
    preview.peerTimeout = options.peerTimeout;
    preview.joined = &joined;
    return preview;
}

HandshakeOptions greetingOf(const SenderOptions& options) {
    return {.role = Role::Sender,
            .name = options.name,
            .slots = options.slots,
            .features = kCutsRegions | kPlacesParts | (options.listen ? kTakesRails : 0) |
                        (options.allowInput ? kTakesInput : 0) | (options.hasSound ? kHasSound : 0) |
                        featuresOf(options.sync) | (options.multicast ? kByGroup : 0),
            .trust = options.trust};
}

std::unique_ptr<Admission> admissionTo(Audience& audience, const SenderOptions& options) {
    std::vector<Url> urls = options.urls();
    if (!options.listen) {
        return std::make_unique<AudienceDialler>(AudienceDiallerOptions{.urls = std::move(urls),
                                                                        .findsRails = options.findsRails,
                                                                        .mode = options.rails,
                                                                        .handshake = greetingOf(options),
                                                                        .reconnect = options.reconnect},
                                                 audience);
    }
    if (urls.size() > 1) {
        checkRails(urls, true);
    }
    return std::make_unique<AudienceAcceptor>(options.url, greetingOf(options), audience);
}

}  // namespace

Broadcast::Broadcast(const SenderOptions& options)
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

Broadcast::~Broadcast() = default;

template <typename Done>
Status Broadcast::waitForProgress(Done&& done, Deadline deadline, const Event& cancel,
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

Status Broadcast::waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel) {
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

Status Broadcast::waitForRoom(TrackId track, const Memory& memory, const Event& cancel) {
    Status outcome = Status::Ok;
    const auto decided = [&] {
        std::size_t receivers = 0;
        if (!audience_.hasRoom(track, receivers) ||
            (receivers > 0 && !submission_.hasRoomFor(track, memory))) {
            return false;
        }
        if (receivers == 0) {
            outcome = over() ? Status::Closed : Status::Busy;
        }
        return true;
    };
    if (decided()) {
        return outcome;
    }
    for (;;) {
        const Status waited = waitForProgress(decided, Deadline::in(kStallCheck), cancel);
        if (waited != Status::TimedOut) {
            return waited == Status::Ok ? outcome : waited;
        }
    }
}

Status Broadcast::submit(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
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
    requireSuitable(format, info.track);
    const bool lossless = !mayDrop(audience_.shared().policies[info.track]);
    if (lossless) {
        const Memory& memory = *lease.pool()->memory();
        if (const Status room = waitForRoom(info.track, memory, cancel); room != Status::Ok) {
            return room;
        }
    }
    QueuedFrame frame = submission_.make(std::move(lease), format, payloadBytes, info);
    Track& track = tracks_[info.track];
    if (track.epoch != frame.epoch) {
        const std::lock_guard lock(epochMutex_);
        track.epoch = frame.epoch;
    }
    if (FrameLock* lock = audience_.frameLock(); lock != nullptr && info.track == kFrameLockTrack) {
        const double rate = format.kind == TrackKind::Video ? format.video.frameRate.value() : 0;
        frame.forDisplays = lock->group().offer(
            frame.info, rate > 0 ? static_cast<TimestampNs>(std::min(1e9 / rate, 1e10)) : 0);
    }
    VERBCAST_TRACE_FRAME(frame_submitted, frame.info);
    std::size_t receivers = 0;
    try {
        receivers = submission_.distribute(frame);
    } catch (const Error& error) {  // in a copy, which comes first: nobody was given the frame
        if (error.kind() == ErrorKind::Device) {
            audience_.stop(fmt::format("the sender's device has failed: {}", error.what()));
        }
        submission_.unmake(info.track);
        lease = std::move(frame.lease);
        throw;
    }
    const bool closed = receivers == 0 && over();
    if (closed || (receivers == 0 && lossless)) {
        submission_.unmake(info.track);  // the last one was lost since there was room
        lease = std::move(frame.lease);
        return closed ? Status::Closed : Status::Busy;
    }
    track.afterLast = frame.info.sequence + 1;
    if (&track == tracks_.data()) {  // others may keep another time
        early_.came(frame.info.submittedAt);
        capture_.record(frame.info.submittedAt - frame.info.capturedAt);
    }
    if (preview_ && takesFramePath(format.kind)) {
        showPreview(std::move(frame.lease), format, payloadBytes, info);
    }
    return Status::Ok;
}

void Broadcast::requireSuitable(const TrackFormat& format, TrackId track) const {
    const auto& before = tracks_[track].epoch;
    const TrackKind kind = before ? before->format.kind : track == 0 ? TrackKind::Video : format.kind;
    if (takesFramePath(kind) != takesFramePath(format.kind)) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("sound and pictures on track {}: each needs a track of its own, and sound one "
                        "from 1 to {}",
                        track, kMaxTracks - 1));
    }
    if (const auto problem =
            format.kind == TrackKind::Sound ? soundFormatProblem(format.sound) : std::nullopt) {
        throw Error(ErrorKind::Usage, "sound of " + *problem);
    }
}

void Broadcast::showPreview(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
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

Status Broadcast::waitUntilSent(std::chrono::nanoseconds timeout, const Event& cancel, TrackId track) {
    const auto& nextUncounted = audience_.shared().frames.at(track).nextUncounted;
    return waitForProgress(
        [&] { return nextUncounted >= tracks_[track].afterLast || audience_.count() == 0; },
        Deadline::in(timeout), cancel);
}

Status Broadcast::waitForReadable(int descriptor, std::chrono::nanoseconds timeout, const Event& cancel) {
    return waitForProgress(
        [&] {
            return waitReadable({descriptor}, std::chrono::nanoseconds(0)) || audience_.anyDepartures() ||
                   audience_.count() == 0;
        },
        Deadline::in(timeout), cancel, {descriptor});
}

bool Broadcast::waitUntilDue(TimestampNs due, const Event& cancel) {
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

Status Broadcast::finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel) {
    finished_ = true;
    admission_->close();
    audience_.finish(reason);
    return waitForProgress([this] { return audience_.count() == 0; }, Deadline::in(timeout), cancel);
}

StreamStats Broadcast::stats() const {
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
        if (const auto& epoch = tracks_.front().epoch; epoch && epoch->format.kind == TrackKind::Video) {
            stats.format = epoch->format.video;
        }
        if (const auto& epoch = tracks_[kSoundTrack].epoch; epoch && epoch->format.kind == TrackKind::Sound) {
            const FrameTotals& blocks = shared.frames[kSoundTrack];
            stats.sound = SoundStats{.format = epoch->format.sound,
                                     .blocks = blocks.sent,
                                     .blocksMissing = blocks.dropped,
                                     .bytes = blocks.bytes};
        }
    }
    const FrameTotals& frames = shared.frames.front();
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
    stats.stageCapture = capture_.snapshot().percentiles();
    stats.connections = past.connections;
    stats.connectionsLost = past.lost;
    stats.viewers = std::move(viewers.each);
    if (const FrameLock* lock = audience_.frameLock()) {
        stats.frameLock = lock->stats();
    }
    stats.viewersLeftOut = viewers.earlierCount;
    return stats;
}

}  // namespace verbcast

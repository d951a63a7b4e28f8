#include "core/stream/receive/receiver_link.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/log/trace.h"

namespace verbcast {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;
// After the last frame was taken, its consumer has this long to drop it before the goodbye.
constexpr TimestampNs kLastLeasePatience = kSecond / 2;

}  // namespace

ReceiverLink::ReceiverLink(PeerConnection connection, const LinkOptions& options, ReceiverShared& shared,
                           Gathering& gathering, std::uint8_t lane)
    : Link(std::move(connection), options),
      shared_(shared),
      lane_(lane),
      arrivals_(gathering.arrivalsOf(peer(), lane)),
      messagePath_(messages()),
      messageFrames_(*this),
      input_(loop()) {
    messagePath_.setHandler(&messageFrames_);
    for (IncomingTrack& track : shared_.tracks) {
        if (track.content() == TrackContent::Nothing) {
            continue;
        }
        FramePath& way = track.content() == TrackContent::Sound ? messagePath_ : requirePath();
        TrackRecord& record = track.record(lane_);
        TrackParts parts = shared_.partsFor ? shared_.partsFor(*this, track.id(), way, record) : TrackParts{};
        if (!parts.choice) {
            parts.choice = std::make_unique<FormatChoice>();
        }
        if (!parts.rings) {
            parts.rings = std::make_unique<RingSource>(shared_.ringMemory, ringOwner(track.id()),
                                                       track.slots(), way, record);
        }
        tracks_.push_back(std::make_unique<ReceiverTrack>(*this, way, track, record, std::move(parts)));
    }
}

ReceiverLink::~ReceiverLink() {
    input_.close();
    disconnect();  // before the rings that it may still write into
}

void ReceiverLink::plugIn(std::unique_ptr<SinkFeature> feature) {
    if (feature) {
        features_.push_back(feature.get());
        Link::plugIn(std::move(feature));
    }
}

void ReceiverLink::onReady() {
    const std::lock_guard lock(shared_.reportMutex);
    ReportBase& base = shared_.reportBase;
    if (base.sender != peer().instance || base.sender == 0) {
        const IncomingTrack& first = shared_.first();
        base = {peer().instance, first.received(), first.counts[&StreamStats::framesShown], first.skipped(),
                first.times[&StreamStats::latency].snapshot()};
    }
}

void ReceiverLink::letGo() {
    account_.update(path(), shared_.totals);
    for (const auto& track : tracks_) {
        track->ledger().letGo();
    }
}

void ReceiverLink::hangUp() {
    if (pathIfAny() == nullptr || !pathIfAny()->sharesMemory()) {
        disconnect();
    }
}

void ReceiverLink::giveRingsBack() {
    if (pathIfAny() != nullptr && pathIfAny()->sharesMemory()) {
        return;  // the rings were the peer's, and the consumer may still be asleep on the channel's ring
    }
    hangUp();  // before the rings that it may still write into
    for (const auto& track : tracks_) {
        track->ledger().drop();
    }
    for (IncomingTrack& track : shared_.tracks) {
        track.record(lane_).pool.reset();
        ringMemory().giveBack(ringOwner(track.id()));
    }
}

void ReceiverLink::begins(TrackId track) {
    begun_ |= 1U << track;
    if (std::popcount(begun_.load()) > 1) {
        serveAlone();
    }
}

/// Null: the track is declined.
ReceiverTrack* ReceiverLink::wanted(TrackId id) const {
    if (id >= kMaxTracks) {
        throw peerError("the peer speaks of track {}: 0 to {} expected", id, kMaxTracks - 1);
    }
    const auto found = std::ranges::find_if(tracks_, [id](const auto& track) { return track->id() == id; });
    return found != tracks_.end() ? found->get() : nullptr;
}

bool ReceiverLink::onSessionMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::Format: {
            const FormatMessage message = decodeMessage<FormatMessage>(reader);
            if (ReceiverTrack* track = wanted(message.track);
                track != nullptr && track->takes(message.format)) {
                track->onFormat(message);
            } else {
                send(Accept{message.track, message.epoch, 0, false, 0});
            }
            return true;
        }
        case MessageType::Ring: {
            const RingMessage message = decodeMessage<RingMessage>(reader);
            if (ReceiverTrack* track = wanted(message.track)) {
                track->onRing(message);
                wake();  // the link's thread may be watching the old rings
            }
            return true;
        }
        case MessageType::FramePart:
            messagePath_.take(reader);
            return true;
        case MessageType::EndOfTrack: {
            const EndOfTrack message = decodeMessage<EndOfTrack>(reader);
            if (ReceiverTrack* track = wanted(message.track)) {
                track->onEnd(message);
            }
            lastEnd_ |= message.last;
            endReason_ = message.reason.value;
            return true;
        }
        case MessageType::Bye: {
            const Bye bye = decodeMessage<Bye>(reader);
            end(SessionEnd::Kind::Orderly, lastEnd_ ? endReason_ : bye.reason.value);
            return true;
        }
        default:
            return false;
    }
}

ReceiverTrack* ReceiverLink::findOwner(RingId ring, const FramePath& path) const {
    const auto found = std::ranges::find_if(
        tracks_, [&](const auto& track) { return &track->ledger().path() == &path && track->owns(ring); });
    return found != tracks_.end() ? found->get() : nullptr;
}

void ReceiverLink::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    if (ReceiverTrack* track = findOwner(ring, path())) {  // else it has another by now
        track->onOfferReady(ring, offer);
    }
}

ReceiverTrack& ReceiverLink::ownerOf(RingId ring, const FramePath& path) const {
    if (ReceiverTrack* track = findOwner(ring, path)) {
        return *track;
    }
    throw peerError("the peer sent a frame in ring {}, which is not in use", ring);
}

void ReceiverLink::arrive(ReceiverTrack& track, RingId ring, std::uint32_t slot, const FrameInfo& info) {
    const TimestampNs arrivedAt = nowNs();
    if (info.track != track.id()) {
        throw peerError("the peer sent a frame of track {} in a ring of track {}", info.track, track.id());
    }
    ReceivedFrame frame = track.onFrame(ring, slot, info);
    const PeerClock& clock = peerClock();
    frame.arrivedAt = arrivedAt;
    frame.sender = peer().instance;
    frame.clockKnown = clock.known();
    frame.postedAt = clock.toLocal(info.postedAt);
    frame.submittedAt = clock.toLocal(info.submittedAt);
    frame.capturedAt = clock.toLocal(info.capturedAt);
    for (const SinkFeature* feature : features_) {
        feature->onArrived(frame);
    }
    VERBCAST_TRACE_FRAME(frame_arrived, frame.info);
    account_.update(path(), shared_.totals);
    if (!streaming_) {
        streaming_ = true;
        shared_.changes.note();
    }
    if (clock.known()) {
        shared_.clockError = clock.errorNs();
    }
    arrivals_->arrived(std::move(frame));
}

bool ReceiverLink::moveOn() {
    bool worked = input_.flush(messages());
    worked |= arrivals_->flush();
    for (const auto& track : tracks_) {
        worked |= track->step();
    }
    return finishStream() || worked;
}

bool ReceiverLink::finishStream() {
    if (!lastEnd_ || !shared_.empty() || !arrivals_->empty()) {
        return false;
    }
    bool held = false;
    for (const auto& track : tracks_) {
        // A track that never began has nothing to end.
        if (!track->complete() && track->begun()) {
            return false;
        }
        held |= track->ledger().anyDelivered();
    }
    const TimestampNs now = nowNs();
    consumedAt_ = consumedAt_ == 0 ? now : consumedAt_;
    if (held && now - consumedAt_ < kLastLeasePatience) {
        return false;
    }
    sendReport();
    send(Bye{"end of stream"});
    end(SessionEnd::Kind::Orderly, endReason_);
    return true;
}

void ReceiverLink::armExtra() {
    for (const auto& track : tracks_) {
        track->ledger().arm();
    }
}

void ReceiverLink::disarmExtra() {
    for (const auto& track : tracks_) {
        track->ledger().disarm();
    }
}

void ReceiverLink::addExtraDescriptors(std::vector<int>& descriptors) const {
    for (const auto& track : tracks_) {
        track->ledger().addDescriptors(descriptors);
    }
}

void ReceiverLink::onTick(TimestampNs now) {
    for (const auto& track : tracks_) {
        track->acknowledge();
    }
    if (now - reportedAt_ >= kSecond) {
        reportedAt_ = now;
        sendReport();
    }
}

void ReceiverLink::sendReport() {
    Report report;
    const std::lock_guard lock(shared_.reportMutex);
    const ReportBase& base = shared_.reportBase;
    const IncomingTrack& first = shared_.first();
    report.received = first.received() - base.received;
    report.shown = first.counts[&StreamStats::framesShown] - base.shown;
    report.skipped = first.skipped() - base.skipped;
    report.latency = first.times[&StreamStats::latency].snapshot().since(base.latency).percentiles();
    report.clockErrorUs = static_cast<double>(shared_.clockError.load()) / 1000.0;
    send(report);
}

}  // namespace verbcast

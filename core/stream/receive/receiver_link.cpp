#include "core/stream/receive/receiver_link.h"
#include "core/base/stranger_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/trace.h"

namespace verbcast {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;
// After the last frame was taken, its consumer has this long to drop it before the goodbye.
constexpr TimestampNs kLastLeasePatience = kSecond / 2;

}  // namespace

void ReceiverShared::countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless,
                                  std::string_view why) {
    if (lossless) {
        warnOfStranger(LogCategory::Stream, why, "", "frames {} to {} of track {} are lost: {}", first,
                       first + frames - 1, track, why);
    }
    if (track == kMainTrack) {
        framesMissing += frames;
        framesLost += lossless ? frames : 0;
    }
}

void ReceiverShared::countArrived(const ReceivedFrame& frame) {
    if (frame.info.track != kMainTrack) {
        return;
    }
    ++framesReceived;
    bytes += frame.region ? tightBytes(*frame.format) : frame.info.payloadBytes;
    if ((frame.info.flags & kFrameDamaged) != 0) {
        ++framesCorrupt;
    }
    TimestampNs none = 0;
    firstAt.compare_exchange_strong(none, frame.arrivedAt);
    lastAt = frame.arrivedAt;
}

void ReceiverShared::makeMerge() {
    merge = std::make_unique<RailMerge>(
        inbox, [this](const ReceivedFrame& frame) { countArrived(frame); },
        [this](TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless) {
            countMissing(track, first, frames, lossless, "no rail delivered them");
        });
}

bool ReceiverShared::take(ReceivedFrame& frame) {
    for (ReceivedFrame next; inbox.pop(next);) {
        framesTaken += next.info.track == kMainTrack ? 1 : 0;
        // While the connection goes on, the consumer confirms afterwards: confirm() costs a system call.
        if (!next.lease.pool()->tellsThroughLifeline() || confirm(next)) {
            frame = std::move(next);
            return true;
        }
    }
    return false;
}

bool ReceiverShared::confirm(const ReceivedFrame& frame) {
    const bool whole = !frame.lease.takenBack();
    if (!whole) {
        countTakenBack(frame);
    }
    return whole;
}

void ReceiverShared::countTakenBack(const ReceivedFrame& frame) {
    countMissing(frame.info.track, frame.info.sequence, 1, frame.lossless,
                 "the sender took its memory back before it was read");
}

ReceiverLink::ReceiverLink(Guest guest, const LinkOptions& options, ReceiverShared& shared,
                           std::optional<std::uint8_t> rail)
    : Link(std::move(guest), options),
      shared_(shared),
      rail_(rail.value_or(0)),
      merge_(rail ? shared.merge.get() : nullptr) {
    if (merge_ != nullptr && requirePath().sharesMemory()) {
        throw Error(ErrorKind::Peer,
                    "shared memory cannot be a rail: there is no second path within one host");
    }
    if (shared_.landing) {
        requirePath().useDevice(shared_.landing->device());
    }
    for (TrackId id = 0; id < shared_.tracks; ++id) {
        tracks_.push_back(
            std::make_unique<ReceiverTrack>(*this, requirePath(), id, shared_.records[rail_][id]));
    }
}

ReceiverLink::~ReceiverLink() {
    if (outbox_) {
        outbox_->close();
    }
    disconnect();  // before the rings that it may still write into
}

void ReceiverLink::onReady() {
    beginTogether();
    const std::lock_guard lock(shared_.reportMutex);
    ReportBase& base = shared_.reportBase;
    if (base.sender != peer().instance || base.sender == 0) {
        base = {peer().instance, shared_.framesReceived, shared_.framesShown, shared_.allSkipped(),
                shared_.latency.snapshot()};
    }
}

void ReceiverLink::letGo() {
    if (outbox_) {
        shared_.together->onSessionEnd(outbox_);
    }
    account_.update(path(), shared_.paths);
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
    for (TrackId track = 0; track < kMaxTracks; ++track) {
        shared_.records[rail_][track].pool.reset();
        ringMemory().giveBack(ringOwner(track));
    }
}

std::shared_ptr<const VideoFormat> ReceiverLink::format() const {
    return tracks_.empty() ? nullptr : tracks_.front()->newestFormat();
}

ReceiverTrack* ReceiverLink::wanted(TrackId id) {
    if (id >= kMaxTracks) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer speaks of track {}: 0 to {} expected", id, kMaxTracks - 1));
    }
    return id < tracks_.size() ? tracks_[id].get() : nullptr;
}

void ReceiverLink::onSessionMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::Format: {
            const FormatMessage message = decodeMessage<FormatMessage>(reader);
            if (ReceiverTrack* track = wanted(message.track)) {
                track->onFormat(message);
            } else {
                send(Accept{message.track, message.epoch, 0, false, 0});
            }
            return;
        }
        case MessageType::Ring: {
            const RingMessage message = decodeMessage<RingMessage>(reader);
            if (ReceiverTrack* track = wanted(message.track)) {
                track->onRing(message);
                wake();  // the link's thread may be watching the old rings
            }
            return;
        }
        case MessageType::EndOfTrack: {
            const EndOfTrack message = decodeMessage<EndOfTrack>(reader);
            if (ReceiverTrack* track = wanted(message.track)) {
                track->onEnd(message);
            }
            lastEnd_ |= message.last;
            endReason_ = message.reason.value;
            return;
        }
        case MessageType::Bye: {
            const Bye bye = decodeMessage<Bye>(reader);
            end(LinkEnd::Kind::Orderly, lastEnd_ ? endReason_ : bye.reason.value);
            return;
        }
        case MessageType::RailOrder:
            hear(decodeMessage<RailOrder>(reader));
            return;
        default:
            static_cast<void>(handleTogether(type, reader));
            return;
    }
}

ReceiverTrack& ReceiverLink::ownerOf(RingId ring) const {
    for (const auto& track : tracks_) {
        if (track->owns(ring)) {
            return *track;
        }
    }
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a frame in ring {}, which is not in use", ring));
}

void ReceiverLink::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    for (const auto& track : tracks_) {
        if (track->owns(ring)) {
            track->onOfferReady(ring, offer);
        }
    }
}

void ReceiverLink::onOfferRefused(RingId ring, const std::string& reason) {
    ownerOf(ring).onOfferRefused(reason);
}

FrameTarget ReceiverLink::beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    return ownerOf(ring).ledger().begin(ring, slot, info);
}

void ReceiverLink::onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    const TimestampNs arrivedAt = nowNs();
    ReceiverTrack& track = ownerOf(ring);
    if (info.track != track.id()) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a frame of track {} in a ring of track {}",
                                                 info.track, track.id()));
    }
    ReceivedFrame frame = track.onFrame(ring, slot, info);
    const PeerClock& clock = peerClock();
    frame.arrivedAt = arrivedAt;
    frame.clockKnown = clock.known();
    frame.postedAt = clock.toLocal(info.postedAt);
    frame.submittedAt = clock.toLocal(info.submittedAt);
    frame.capturedAt = clock.toLocal(info.capturedAt);
    setPresentTime(frame);
    VERBCAST_TRACE_FRAME(frame_arrived, frame.info);
    account_.update(path(), shared_.paths);
    if (info.track == kMainTrack) {
        streaming_ = true;
    }
    if (clock.known() && info.track == kMainTrack) {
        shared_.clockError = clock.errorNs();
    }
    if (merge_ != nullptr) {
        merge_->arrived(rail_, peer().instance, std::move(frame));
        return;
    }
    shared_.countArrived(frame);
    if (!shared_.inbox.push(std::move(frame))) {
        throw Error(ErrorKind::Peer, "the peer sent more frames than there are slots");
    }
}

void ReceiverLink::onFrameLost(RingId ring, const FrameInfo& info) {
    ownerOf(ring).onFrameLost(ring, info);
}

void ReceiverLink::hear(const RailOrder& order) {
    if (merge_ == nullptr) {
        throw Error(ErrorKind::Peer, "the peer speaks of rails, and the connection is none");
    }
    if (order.track < tracks_.size()) {
        merge_->order(peer().instance, order);
    }
}

std::optional<PictureRegion> ReceiverLink::regionOf(TrackId track, const TrackFormat& format) const {
    if (!shared_.regionWish || track != kMainTrack || format.kind != TrackKind::Video) {
        return std::nullopt;
    }
    return chooseRegion(format.video, shared_.regionWish);
}

void ReceiverLink::countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless) {
    shared_.countMissing(track, first, frames, lossless, "they did not arrive");
}

bool ReceiverLink::sendInput(const InputMessage& message) {
    constexpr std::size_t kMaxQueued = 512;
    {
        const std::lock_guard lock(inputMutex_);
        if (input_.size() == kMaxQueued) {
            return false;
        }
        input_.push(encodeMessage(message));
        anyInput_ = true;
    }
    wake();
    return true;
}

bool ReceiverLink::flushInput() {
    if (!anyInput_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::lock_guard lock(inputMutex_);
    bool worked = false;
    while (!input_.empty() && messages().hasRoomToSpare() && messages().send(input_.front()) == Status::Ok) {
        input_.drop();
        worked = true;
    }
    anyInput_ = !input_.empty();
    return worked;
}

bool ReceiverLink::step() {
    bool worked = flushInput();
    worked |= together_ && shared_.together->passOver(nowNs());
    worked |= outbox_ && outbox_->flush(messages());
    worked |= merge_ != nullptr && merge_->flush();
    for (const auto& track : tracks_) {
        worked |= track->step();
    }
    return finishStream() || worked;
}

bool ReceiverLink::finishStream() {
    if (!lastEnd_ || !shared_.inbox.empty() || (merge_ != nullptr && !merge_->empty())) {
        return false;
    }
    bool held = false;
    for (const auto& track : tracks_) {
        // A track that never began has nothing to end.
        if (!track->complete() && (track->begun() || track->id() == kMainTrack)) {
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
    end(LinkEnd::Kind::Orderly, endReason_);
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

void ReceiverLink::onStopping() {
    sendReport();
}

void ReceiverLink::sendReport() {
    Report report;
    const std::lock_guard lock(shared_.reportMutex);
    const ReportBase& base = shared_.reportBase;
    report.received = shared_.framesReceived - base.received;
    report.shown = shared_.framesShown - base.shown;
    report.skipped = shared_.allSkipped() - base.skipped;
    report.latency = shared_.latency.snapshot().since(base.latency).percentiles();
    report.clockErrorUs = static_cast<double>(shared_.clockError.load()) / 1000.0;
    send(report);
}

}  // namespace verbcast

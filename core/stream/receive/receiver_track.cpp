// Per frame: onFrame() turns the slot into a lease; when that is dropped the pool wakes the serving thread,
// which returns the slot as a credit. No copy of pixels, no allocation, no lock.
#include "core/stream/receive/receiver_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/stream/receive/receiver_link.h"

namespace verbcast {
namespace {

// From this many frames on, reports to a lossless sender without waiting for the next heartbeat: a source may
// have only two slots.
constexpr std::uint32_t kAcknowledgeFrom = 2;

}  // namespace

ReceiverTrack::ReceiverTrack(ReceiverLink& link, FramePath& path, TrackId id, TrackRecord& record)
    : link_(link), ledger_(path, id), record_(record) {
    if (record_.instance != link.peer().instance || record_.instance == 0) {
        record_ = {.pool = nullptr,
                   .instance = link.peer().instance};  // what the one before needed is given back
    }
}

void ReceiverTrack::onFormat(const FormatMessage& message) {
    if (nextEpoch_ || accepting_) {
        throw Error(ErrorKind::Peer, "the peer announced a format before the last one was accepted");
    }
    if (message.epoch == 0) {
        throw Error(ErrorKind::Peer, "the peer announced epoch 0: they count from 1");
    }
    if (!formats_.empty() && message.epoch <= formats_.rbegin()->first) {
        throw Error(ErrorKind::Peer, fmt::format("the peer announced epoch {} twice", message.epoch));
    }
    nextEpoch_ = message;
    beginEpoch();
}

/// Why the sender's frames cannot go straight into a slot that other senders write into, or "".
std::string ReceiverTrack::obstacleToPlacing() const {
    if (ledger_.sharesMemory()) {
        return "its frames are read in its own memory";
    }
    if (link_.merge() != nullptr) {
        return "it comes over several rails";
    }
    if (!link_.senderCuts()) {
        return "it sends whole pictures";
    }
    return link_.senderPlaces() ? "" : "its version of verbcast sends parts into rings of their own only";
}

std::optional<PartPlace> ReceiverTrack::placeOf(const VideoFormat& whole, const PictureRegion& region) {
    PartPlacer* const placer = link_.placer(id());
    if (placer == nullptr) {
        return std::nullopt;
    }
    return placer->place(whole, region, obstacleToPlacing(),
                         [this](std::uint64_t slotBytes, std::uint32_t slots) {
                             return link_.ringMemory().make(link_.ringOwner(id()), slotBytes, slots);
                         });
}

/// For the consumer, frames lie in slots that hold the whole picture.
void ReceiverTrack::takePlace(EpochFormat& format) const {
    const FrameRect& held = format.region->held;
    const auto& [x, y] = format.place->corner;
    format.video = std::make_shared<const VideoFormat>(
        regionInPlace(format.place->picture, {x, y, held.width, held.height}));
    format.told = TrackFormat::ofVideo(regionFormat(format.sent.video, held));
    format.sent = TrackFormat::ofVideo(format.place->picture);
}

/// The sender cuts if it writes into our ring: then only the region travels, and lies there.
ReceiverTrack::EpochFormat ReceiverTrack::formatOf(const TrackFormat& announced) {
    EpochFormat format{.sent = announced, .told = announced};
    if (announced.kind != TrackKind::Video) {
        return format;
    }
    const VideoFormat& whole = announced.video;
    const auto region = link_.regionOf(id(), announced);
    if (!region) {
        format.video = std::make_shared<const VideoFormat>(whole);
        return format;
    }
    format.region = std::make_shared<const PictureRegion>(*region);
    format.place = placeOf(whole, *region);
    if (format.place) {
        takePlace(format);
        return format;
    }
    format.cutHere = ledger_.sharesMemory() || !link_.senderCuts() || region->held == wholePicture(whole);
    format.video = std::make_shared<const VideoFormat>(format.cutHere ? regionInPlace(whole, region->held)
                                                                      : regionFormat(whole, region->held));
    if (!format.cutHere) {
        format.sent = format.told = TrackFormat::ofVideo(*format.video);
    }
    return format;
}

bool ReceiverTrack::beginEpoch() {
    if (!nextEpoch_ || received_ < nextEpoch_->framesBefore) {
        return false;
    }
    if (ledger_.receiving()) {
        throw Error(ErrorKind::Peer, "the peer announced a format in the middle of a frame");
    }
    if (formats_.empty() && !link_.inboxHasRoom()) {
        return false;  // as below
    }
    EpochFormat format = formatOf(nextEpoch_->format);
    const std::uint64_t slotBytes = format.sent.slotBytes();
    const bool fits = ledger_.hasRing() && ledger_.pool()->slotBytes() >= slotBytes &&
                      joint_ == (format.place ? format.place->part.slots : nullptr);
    if (ledger_.sharesMemory() && !fits) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer announced frames of {} bytes without a ring that holds them", slotBytes));
    }
    // The consumer may have so many frames of older rings or connections that those of one more ring might
    // not fit.
    const bool first = formats_.empty();
    if ((!fits || first) && !link_.inboxHasRoom()) {
        return false;
    }
    const FormatMessage message = *std::exchange(nextEpoch_, std::nullopt);
    lossless_ = message.lossless;
    if (format.video) {
        const std::lock_guard lock(formatMutex_);
        newestFormat_ = format.video;
    }
    if (format.place) {
        const VideoFormat& whole = format.place->picture;
        link_.tell(PlaceMessage{.track = id(),
                                .epoch = message.epoch,
                                .region = format.region->held,
                                .width = static_cast<std::uint16_t>(whole.width),
                                .height = static_cast<std::uint16_t>(whole.height),
                                .x = format.place->corner.x,
                                .y = format.place->corner.y,
                                .rule = format.place->part.slots->rule()});
    } else if (format.region && !format.cutHere) {
        link_.tell(RegionMessage{id(), message.epoch, format.region->held});
    }
    EpochFormat& begun = formats_[message.epoch] = std::move(format);
    if (formats_.size() > 2) {
        formats_.erase(formats_.begin());
    }
    accepting_ = message.epoch;
    if (fits) {
        accept();
    } else {
        useRing(begun, slotBytes);
    }
    return true;
}

void ReceiverTrack::useRing(const EpochFormat& format, std::uint64_t slotBytes) {
    joint_ = format.place ? format.place->part.slots : nullptr;
    if (!joint_) {
        provideRing(slotBytes);
        return;
    }
    record_.pool.reset();
    ledger_.provide(format.place->part, link_.nextRing());
}

void ReceiverTrack::provideRing(std::uint64_t slotBytes) {
    const bool onDevice = link_.landing(id()) != nullptr && !deviceRefused_;
    const bool fits = record_.pool && record_.pool->slotBytes() >= slotBytes &&
                      record_.pool->slotCount() == link_.slots() &&
                      (record_.pool->memory()->device() != nullptr) == onDevice;
    if (!fits) {
        record_.pool.reset();  // before the new one: leases may keep the old one for a while
        record_.pool = makeRing(slotBytes, onDevice);
    }
    ledger_.provide(record_.pool, link_.nextRing());
    if (DeviceLanding* landing = link_.landing(id()); landing != nullptr && !onDevice) {
        landing->makeRoomForCopies(record_.pool->slotBytes());
    }
}

std::shared_ptr<FramePool> ReceiverTrack::makeRing(std::uint64_t slotBytes, bool onDevice) {
    if (onDevice) {
        DeviceLanding& landing = *link_.landing(id());
        try {
            return landing.makeRing(slotBytes);
        } catch (const Error& error) {
            if (landing.copiesFrames()) {
                throw;  // that device and no other
            }
            deviceRefused_ = true;
            landing.framesArriveInMainMemory(error.what());
        }
    }
    const std::uint64_t besides = ledger_.path().ownRingBytes({slotBytes, link_.slots()});
    return link_.ringMemory().make(link_.ringOwner(id()), slotBytes, link_.slots(), besides);
}

void ReceiverTrack::onOfferRefused(const std::string& reason) {
    deviceRefused_ = true;
    link_.landing(id())->framesArriveInMainMemory(reason);
    provideRing(ledger_.pool()->slotBytes());
}

/// All frames of the stream before this one have arrived, over any rail.
std::uint64_t ReceiverTrack::nextSequence() const {
    const RailMerge* merge = link_.merge();
    return merge != nullptr ? merge->next(id(), record_.instance) : record_.nextSequence;
}

void ReceiverTrack::onRing(const RingMessage& message) {
    RingMemory& memory = link_.ringMemory();
    const std::uint64_t besides = ledger_.path().ownRingBytes(message.shape);
    memory.allow(link_.ringOwner(id()), message.shape.slotBytes, message.shape.slotCount, besides);
    ledger_.takeRing(message);
    if (DeviceLanding* landing = link_.landing(id())) {
        const bool there = ledger_.pool()->memory()->device() != nullptr;
        landing->framesArriveInMainMemory(there ? "" : "the sender's ring lies in main memory");
        if (!there) {
            landing->makeRoomForCopies(ledger_.pool()->slotBytes());
        }
    }
    memory.add(link_.ringOwner(id()), ledger_.pool(), besides);
}

void ReceiverTrack::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    RingMessage message;
    message.track = id();
    message.ring = ring;
    message.shape = {ledger_.pool()->slotBytes(), ledger_.pool()->slotCount()};
    message.offer.assign(offer.begin(), offer.end());
    link_.tell(message);
    accept();
}

void ReceiverTrack::accept() {
    if (const auto epoch = std::exchange(accepting_, std::nullopt)) {
        link_.tell(Accept{id(), *epoch, ledger_.ring(), true, nextSequence()});
        step();
    }
}

void ReceiverTrack::onEnd(const EndOfTrack& message) {
    endAnnounced_ = true;
    framesAnnounced_ = message.frames;
}

const ReceiverTrack::EpochFormat& ReceiverTrack::requireAnnounced(const FrameInfo& info) const {
    const auto format = formats_.find(info.epoch);
    if (format == formats_.end() || !format->second.sent.allows(info.payloadBytes)) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a frame of {} bytes in epoch {}, which was not announced so",
                                info.payloadBytes, info.epoch));
    }
    if (link_.merge() == nullptr && info.sequence < record_.nextSequence) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent frame {} after frame {}", info.sequence,
                                                 record_.nextSequence));
    }
    return format->second;
}

void ReceiverTrack::onFrameLost(RingId ring, const FrameInfo& info) {
    requireAnnounced(info);
    if (received_++ == 0) {
        record_.nextSequence = info.sequence;  // those before it were not for us
        record_.begun = true;
    }
    countMissing(info.sequence + 1);
    record_.nextSequence = info.sequence + 1;
    // The slot would have been ours to choose: any number stands for one more.
    Credit credit;
    credit.track = id();
    credit.ring = ring;
    credit.nextSequence = record_.nextSequence;
    credit.slots.push(0);
    link_.tell(credit);
}

ReceivedFrame ReceiverTrack::onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    ReceivedFrame frame;
    frame.lease = ledger_.arrive(ring, slot, info);
    const EpochFormat& format = requireAnnounced(info);
    const bool first = std::exchange(lastEpoch_, info.epoch) != info.epoch;
    if (const auto problem = changesProblem(info, format.told); problem || (first && info.rectCount > 0)) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent frame {} with {}", info.sequence,
                                problem.value_or("changes, and none before it in its format")));
    }
    frame.format = format.video;
    frame.region = format.region;
    frame.info = info;
    if (format.cutHere) {
        changesWithin(PictureChanges::of(info), frame.region->held).tellIn(frame.info);
    }
    if (format.cutHere || format.place) {
        frame.info.payloadBytes = frame.format->payloadBytes;
    }
    frame.lossless = lossless_;
    if (link_.merge() == nullptr) {
        countMissing(info.sequence);
    }
    record_.nextSequence = info.sequence + 1;
    record_.begun = true;
    ++received_;
    ++unacknowledged_;
    return frame;
}

void ReceiverTrack::countMissing(std::uint64_t sequence) {
    const std::uint64_t missing = sequence - record_.nextSequence;
    // Joining late is no loss, nor is what a live stream dropped while we were away.
    if (missing == 0 || !record_.begun || (received_ == 0 && !lossless_)) {
        return;
    }
    link_.countMissing(id(), record_.nextSequence, missing, lossless_);
}

bool ReceiverTrack::step() {
    bool worked = beginEpoch();
    if (!ledger_.hasRing() || accepting_) {
        return worked;
    }
    worked |= ledger_.giveCredits(nextSequence(), [this](const auto& credit) {
        unacknowledged_ = 0;
        toldNext_ = credit.nextSequence;
        link_.tell(credit);
    });
    if (link_.merge() != nullptr) {
        return tellRails() || worked;
    }
    if (unacknowledged_ >= kAcknowledgeFrom) {
        worked |= acknowledge();
    }
    return worked;
}

/// Also reports what another rail brought: the sender keeps it until it knows.
bool ReceiverTrack::tellRails() {
    const std::uint64_t next = nextSequence();
    if (next == toldNext_) {
        return false;
    }
    toldNext_ = next;
    Credit news;
    news.track = id();
    news.ring = ledger_.ring();
    news.nextSequence = next;
    link_.tell(news);
    return true;
}

bool ReceiverTrack::acknowledge() {
    if (link_.merge() != nullptr) {
        return ledger_.hasRing() && !accepting_ && tellRails();
    }
    // A lossless sender keeps frames until it knows that they have arrived, and may have few slots. With
    // shared memory it keeps them anyway until their slots come back.
    if (!lossless_ || unacknowledged_ == 0 || ledger_.sharesMemory() || !ledger_.hasRing()) {
        return false;
    }
    unacknowledged_ = 0;
    Credit news;
    news.track = id();
    news.ring = ledger_.ring();
    news.nextSequence = record_.nextSequence;
    link_.tell(news);
    return true;
}

}  // namespace verbcast

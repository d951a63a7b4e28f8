// Per frame: onFrame() turns the slot into a lease; when that is dropped the pool wakes the serving thread,
// which returns the slot as a credit. No copy of pixels, no allocation, no lock.
#include "core/stream/receive/receiver_track.h"

#include <utility>

#include "core/stream/receive/receiver_link.h"

namespace verbcast {
namespace {

// From this many frames on, reports to a lossless sender without waiting for the next heartbeat: a source may
// have only two slots.
constexpr std::uint32_t kAcknowledgeFrom = 2;

}  // namespace

ReceiverTrack::ReceiverTrack(ReceiverLink& link, FramePath& path, IncomingTrack& consumer,
                             TrackRecord& record, TrackParts parts)
    : link_(link),
      consumer_(consumer),
      ledger_(path, consumer.id()),
      record_(record),
      choice_(std::move(parts.choice)),
      rings_(std::move(parts.rings)),
      alone_(link.arrivals().alone()) {
    if (record_.instance != link.peer().instance || record_.instance == 0) {
        record_ = {.pool = nullptr, .instance = link.peer().instance};  // the one before gives back its ring
    }
}

void ReceiverTrack::onFormat(const FormatMessage& message) {
    if (nextEpoch_ || accepting_) {
        throw peerError("the peer announced a format before the last one was accepted");
    }
    if (message.epoch == 0) {
        throw peerError("the peer announced epoch 0: they count from 1");
    }
    if (!formats_.empty() && message.epoch <= formats_.rbegin()->first) {
        throw peerError("the peer announced epoch {} twice", message.epoch);
    }
    nextEpoch_ = message;
    beginEpoch();
}

bool ReceiverTrack::beginEpoch() {
    if (!nextEpoch_ || received_ < nextEpoch_->framesBefore) {
        return false;
    }
    if (ledger_.receiving()) {
        throw peerError("the peer announced a format in the middle of a frame");
    }
    if (formats_.empty() && !consumer_.hasRoomForNewRings()) {
        return false;  // as below
    }
    EpochFormat format = choice_->choose(
        nextEpoch_->epoch, nextEpoch_->format, [this](std::uint64_t bytes, std::uint32_t slots) {
            return link_.ringMemory().make(link_.ringOwner(id()), bytes, slots);
        });
    const std::uint64_t slotBytes = format.sent.slotBytes();
    const bool fits = ledger_.hasRing() && ledger_.pool()->slotBytes() >= slotBytes &&
                      composed_ == (format.composed ? format.composed->slots : nullptr);
    if (ledger_.sharesMemory() && !fits) {
        throw peerError("the peer announced frames of {} bytes without a ring that holds them", slotBytes);
    }
    // The consumer may have so many frames of older rings or connections that those of one more ring might
    // not fit.
    const bool first = formats_.empty();
    if ((!fits || first) && !consumer_.hasRoomForNewRings()) {
        return false;
    }
    const FormatMessage message = *std::exchange(nextEpoch_, std::nullopt);
    lossless_ = !mayDrop(message.policy);
    if (format.video) {
        const std::lock_guard lock(formatMutex_);
        newestFormat_ = format.video;
    }
    if (format.ask) {
        format.ask();
    }
    link_.begins(id());
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
    composed_ = format.composed ? format.composed->slots : nullptr;
    if (!composed_) {
        provideRing(slotBytes);
        return;
    }
    record_.pool.reset();
    ledger_.provide(*format.composed, link_.nextRing());
}

void ReceiverTrack::provideRing(std::uint64_t slotBytes) {
    ledger_.provide(rings_->provide(slotBytes), link_.nextRing());
}

void ReceiverTrack::onOfferRefused(const std::string& reason) {
    rings_->refused(reason);
    provideRing(ledger_.pool()->slotBytes());
}

/// All frames of the stream before this one have arrived, over any of its links.
std::uint64_t ReceiverTrack::nextSequence() const {
    return link_.arrivals().next(id());
}

void ReceiverTrack::onRing(const RingMessage& message) {
    rings_->allow(message.shape);
    ledger_.takeRing(message);
    rings_->mapped(ledger_.pool(), message.shape);
}

void ReceiverTrack::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    link_.send(RingMessage::of(id(), ring, *ledger_.pool(), offer));
    accept();
}

void ReceiverTrack::accept() {
    if (const auto epoch = std::exchange(accepting_, std::nullopt)) {
        toldNext_ = nextSequence();
        link_.send(Accept{id(), *epoch, ledger_.ring(), true, toldNext_});
        step();
    }
}

void ReceiverTrack::onEnd(const EndOfTrack& message) {
    endAnnounced_ = true;
    framesAnnounced_ = message.frames;
}

const EpochFormat& ReceiverTrack::requireAnnounced(const FrameInfo& info) const {
    const auto format = formats_.find(info.epoch);
    if (format == formats_.end() || !format->second.sent.allows(info.payloadBytes)) {
        throw peerError("the peer sent a frame of {} bytes in epoch {}, which was not announced so",
                        info.payloadBytes, info.epoch);
    }
    if (alone_ && info.sequence < record_.nextSequence) {
        throw peerError("the peer sent frame {} after frame {}", info.sequence, record_.nextSequence);
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
    link_.send(credit);
}

ReceivedFrame ReceiverTrack::onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    ReceivedFrame frame;
    frame.lease = ledger_.arrive(ring, slot, info);
    const EpochFormat& format = requireAnnounced(info);
    const bool first = std::exchange(lastEpoch_, info.epoch) != info.epoch;
    if (const auto problem = changesProblem(info, format.told); problem || (first && info.rectCount > 0)) {
        throw peerError("the peer sent frame {} with {}", info.sequence,
                        problem.value_or("changes, and none before it in its format"));
    }
    frame.format = format.video;
    frame.sound = format.sound;
    frame.region = format.region;
    frame.info = info;
    if (format.cutHere) {
        changesWithin(PictureChanges::of(info), frame.region->held).tellIn(frame.info);
    }
    if (format.cutHere || format.composed) {
        frame.info.payloadBytes = frame.format->payloadBytes;
    }
    frame.lossless = lossless_;
    if (alone_) {
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
    consumer_.countMissing(record_.nextSequence, missing, lossless_, "they did not arrive");
}

bool ReceiverTrack::step() {
    bool worked = beginEpoch();
    if (!ledger_.hasRing() || accepting_) {
        return worked;
    }
    worked |= ledger_.giveCredits(nextSequence(), [this](const auto& credit) {
        unacknowledged_ = 0;
        toldNext_ = credit.nextSequence;
        link_.send(credit);
    });
    // What another link brought matters at once: the sender keeps it until it knows.
    if (!alone_ || unacknowledged_ >= kAcknowledgeFrom) {
        worked |= acknowledge();
    }
    return worked;
}

bool ReceiverTrack::acknowledge() {
    // A lossless sender keeps frames until it knows that they have arrived, and may have few slots. With
    // shared memory it keeps them anyway until their slots come back.
    const bool matters = !alone_ || (lossless_ && !ledger_.sharesMemory());
    if (!matters || !ledger_.hasRing() || accepting_ || toldNext_ == nextSequence()) {
        return false;
    }
    unacknowledged_ = 0;
    toldNext_ = nextSequence();
    Credit news;
    news.track = id();
    news.ring = ledger_.ring();
    news.nextSequence = toldNext_;
    link_.send(news);
    return true;
}

}  // namespace verbcast

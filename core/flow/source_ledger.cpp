// Per frame: send(), then sent() or a credit. No copy of pixels, no allocation once the deques have grown.
#include "core/flow/source_ledger.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/memory/same_owner.h"

namespace verbcast {
namespace {

Error notHeld(RingId ring, std::uint32_t slot) {
    return peerError("the peer gave back slot {} of ring {}, which it did not hold", slot, ring);
}

}  // namespace

SourceLedger::SourceLedger(FramePath& path, TrackId track)
    : path_(path), track_(track), shares_(path.sharesMemory()), sinkPlaces_(path.sinkPlaces(track)) {
    credits_.reserve(kMaxSlots);
}

void SourceLedger::addSource(const std::shared_ptr<FramePool>& pool, RingId ring) {
    pool_ = pool;  // before the offer, which may be ready within the call
    path_.prepare(pool);
    if (!shares_) {
        return;
    }
    std::size_t open = 0;
    for (Lent& lent : lent_) {
        if (lent.open && (lent.pool.expired() || ++open == kMaxOpenRings)) {
            close(lent);
        }
    }
    forgetFinished();
    lent_.push_front({.ring = ring, .pool = pool});
    lent_.front().slots.resize(pool->slotCount());
    path_.offer(ring, pool);
    lent_.front().deathSocket = path_.takeDeathSocket(ring);
}

void SourceLedger::closeSources() {
    for (Lent& lent : lent_) {
        if (lent.open) {
            close(lent);
        }
    }
    forgetFinished();
}

void SourceLedger::close(Lent& lent) {
    path_.retire(lent.ring);
    lent.open = false;
}

void SourceLedger::forgetFinished() {
    std::erase_if(lent_, [](const Lent& lent) { return !lent.open && lent.count == 0; });
}

std::deque<SourceLedger::Lent>::iterator SourceLedger::openRing(const std::shared_ptr<FramePool>& pool) {
    return std::ranges::find_if(lent_,
                                [&](const Lent& lent) { return lent.open && sameOwner(lent.pool, pool); });
}

bool SourceLedger::hasSource(const std::shared_ptr<FramePool>& pool) {
    return shares_ ? openRing(pool) != lent_.end() : pool_ == pool;
}

std::size_t SourceLedger::openCount() const {
    return static_cast<std::size_t>(std::ranges::count(lent_, true, &Lent::open));
}

std::size_t SourceLedger::fewestSlots() const {
    std::size_t fewest = kMaxSlots;
    for (const Lent& lent : lent_) {
        fewest = lent.open ? std::min(fewest, lent.slots.size()) : fewest;
    }
    return fewest;
}

WireList<RingId, kMaxOpenRings - 1> SourceLedger::openBesides() const {
    WireList<RingId, kMaxOpenRings - 1> rings;
    for (const Lent& lent : lent_) {
        if (lent.open && &lent != &lent_.front()) {
            rings.push(lent.ring);
        }
    }
    return rings;
}

void SourceLedger::takeRing(const RingMessage& message) {
    if (shares_) {
        throw peerError("a receiver offered a ring, and it reads ours");
    }
    path_.forget(remoteRing_);
    path_.accept(message.ring, message.shape, message.offer);
    remoteRing_ = message.ring;
    remoteShape_ = message.shape;
    held_.assign(remoteShape_.slotCount, 0);
    dropCredits();
}

void SourceLedger::dropCredits() {
    credits_.clear();
    credited_.reset();
    placed_.assign(rule_ ? rule_->places : 0, std::nullopt);
}

void SourceLedger::placeBy(const std::optional<PlaceRule>& rule) {
    if (rule_ != rule) {
        rule_ = rule;
        dropCredits();  // earlier credits were given for the old rule
    }
}

void SourceLedger::requirePlaces(bool placed) const {
    if (rule_.has_value() != placed) {
        throw Error(ErrorKind::Peer, placed ? "the peer gives slots by place, and has asked for none"
                                            : "the peer gives slots without their places");
    }
}

void SourceLedger::takePlaced(const PlacedCredit& credit) {
    if (shares_) {
        throw peerError("a receiver gives slots by place, and it reads ours");
    }
    if (credit.ring != remoteRing_) {
        return;  // it was on its way when the ring was replaced
    }
    requirePlaces(true);
    for (std::size_t i = 0; i < credit.slots.count; ++i) {
        const std::uint16_t slot = credit.slots.values[i], place = credit.places.values[i];
        if (place >= placed_.size() || placed_[place] || slot >= remoteShape_.slotCount || credited_[slot]) {
            throw notHeld(remoteRing_, slot);
        }
        placed_[place] = slot;
        credited_[slot] = true;
        noteBack(held_[slot]);
    }
}

std::optional<std::uint16_t> SourceLedger::slotFor(std::int64_t pts) const {
    if (rule_) {
        return placed_[rule_->placeOf(pts)];
    }
    return credits_.empty() ? std::nullopt : std::optional(credits_.back());
}

std::optional<std::uint64_t> SourceLedger::takeBack(Lent& lent, std::uint32_t slot) {
    const auto frame =
        slot < lent.slots.size() ? std::exchange(lent.slots[slot], std::nullopt) : std::nullopt;
    if (!frame) {
        return std::nullopt;
    }
    --lent.count;
    --lentCount_;
    return frame->sequence;
}

std::uint64_t SourceLedger::giveBack(RingId ring, std::uint32_t slot) {
    const auto lent = std::ranges::find(lent_, ring, &Lent::ring);
    const auto sequence = lent == lent_.end() ? std::nullopt : takeBack(*lent, slot);
    if (!sequence) {
        throw notHeld(ring, slot);
    }
    noteBack(*sequence + 1);
    return *sequence;
}

/// Returns false once it has ended. A peer that sends nonsense, or without end, harms only its own pictures.
bool SourceLedger::hearDeathSocket(Lent& lent, const std::function<void(std::uint64_t)>& left) {
    std::array<std::uint16_t, kMaxSlots> slots{};
    const auto got = ::recv(lent.deathSocket.get(), slots.data(), sizeof slots, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (got <= 0 || got % 2 != 0) {
        return false;
    }
    const auto told = std::span(slots).first(static_cast<std::size_t>(got) / 2);
    lent.told += told.size();
    if (lent.told > 2 * lent.slots.size()) {
        return false;
    }
    for (const std::uint16_t slot : told) {
        if (slot >= lent.slots.size()) {
            return false;
        }
        if (const auto sequence = takeBack(lent, slot)) {
            left(*sequence);
        }
    }
    return true;
}

std::vector<int> SourceLedger::releaseUnread(const std::function<void(std::uint64_t)>& left) {
    std::vector<int> deathSockets;
    for (Lent& lent : lent_) {
        if (lent.count > 0 && hearDeathSocket(lent, left)) {
            if (lent.count > 0) {
                deathSockets.push_back(lent.deathSocket.get());
            }
            continue;
        }
        for (std::uint32_t slot = 0; slot < lent.slots.size(); ++slot) {
            if (const auto sequence = takeBack(lent, slot)) {
                left(*sequence);
            }
        }
    }
    std::erase_if(lent_, [](const Lent& lent) { return lent.count == 0; });  // nothing follows
    return deathSockets;
}

void SourceLedger::drop(bool ending) {
    for (const Lent& lent : lent_) {
        const auto pool = lent.pool.lock();  // there while any slot is lent
        if (lent.count > 0 && (!ending || !pool || !pool->memory()->writable())) {
            FramePool::takeBack(lent.deathSocket.get());
        }
    }
    lent_.clear();
    lentCount_ = 0;
    while (!sending_.empty()) {
        sending_.drop();
    }
}

void SourceLedger::addCredit(std::uint32_t slot) {
    if (slot >= remoteShape_.slotCount || credited_[slot]) {
        throw notHeld(remoteRing_, slot);
    }
    credited_[slot] = true;
    if (!sinkPlaces_) {
        noteBack(held_[slot]);
    }
    const auto place = std::ranges::upper_bound(credits_, held_[slot], {},
                                                [this](std::uint16_t other) { return held_[other]; });
    credits_.insert(place, static_cast<std::uint16_t>(slot));
}

/// If the sink chooses slots, a credit needs only some unused number. Returns slotCount if it gave too many.
std::uint32_t SourceLedger::anyNotCredited() const {
    std::uint32_t slot = 0;
    while (slot < remoteShape_.slotCount && credited_[slot]) {
        ++slot;
    }
    return slot;
}

std::optional<std::uint64_t> SourceLedger::nextSlotHolds(std::int64_t pts) const {
    const auto slot = shares_ || sinkPlaces_ ? std::nullopt : slotFor(pts);
    return slot && held_[*slot] != 0 ? std::optional(held_[*slot] - 1) : std::nullopt;
}

Status SourceLedger::send(FrameLease&& lease, const FrameInfo& info, std::span<const ByteBlock> blocks,
                          std::span<const ByteBlock> from) {
    const auto lent = shares_ ? openRing(lease.pool()) : lent_.end();
    if (!hasRoom(info.pts) || (shares_ && (lent == lent_.end() || lent->slots[lease.slot()]))) {
        return Status::Busy;
    }
    if (!shares_) {
        sending_.makeRoom();  // what the transport has taken must keep its lease
    }
    const OutgoingFrame frame{.pool = lease.pool(),
                              .localSlot = lease.slot(),
                              .ring = shares_ ? lent->ring : remoteRing_,
                              .remoteSlot = shares_ ? lease.slot() : *slotFor(info.pts),
                              .info = info,
                              .blocks = blocks,
                              .from = from};
    if (const Status status = path_.send(frame); status != Status::Ok) {
        return status;
    }
    if (shares_) {
        lent->slots[frame.localSlot] = Sending{std::move(lease), info.sequence};
        ++lent->count;
        ++lentCount_;
    } else {
        if (rule_) {
            placed_[rule_->placeOf(info.pts)].reset();
        } else {
            credits_.pop_back();
        }
        credited_[frame.remoteSlot] = false;
        held_[frame.remoteSlot] = info.sequence + 1;
        sending_.push({std::move(lease), info.sequence});
    }
    return Status::Ok;
}

std::uint64_t SourceLedger::sent(std::uint32_t localSlot) {
    if (sending_.empty() || sending_.front().lease.slot() != localSlot) {
        throw Error(ErrorKind::Internal, "a transport that sends frames out of order");
    }
    return sending_.pop().sequence;
}

}  // namespace verbcast

#include "core/sync/locked_display.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbcast {
namespace {

constexpr TimestampNs kNewsPeriod = 1'000'000'000;

}  // namespace

LockedDisplay::LockedDisplay(Link& link, std::uint64_t id, FrameLock& lock)
    : link_(link), id_(id), lock_(lock), orders_(link.loop()) {}

void LockedDisplay::onReady() {
    // Displays of one host share a name.
    const Hello& peer = link_.peer();
    const std::string name = fmt::format("{} ({})", peer.name.value, link_.description().peer);
    lock_.group().join(id_, peer.instance, name, std::max(1U, peer.slots), *this);
    onTick(nowNs());
}

void LockedDisplay::onEnd() noexcept {
    try {
        lock_.group().leave(id_, nowNs());
    } catch (...) {
        // No memory for its statistics.
    }
    orders_.close();
}

void LockedDisplay::onSent(const FrameInfo& info) {
    if (info.track == kFrameLockTrack) {
        lock_.group().sent(id_, info.sequence);
    }
}

void LockedDisplay::onSlotsBack(TrackId track, std::uint64_t newest) {
    if (track == kFrameLockTrack) {
        lock_.group().cameBack(id_, newest);
    }
}

TimestampNs LockedDisplay::wallOffset(TimestampNs now) {
    return link_.peerClock().sameHost() ? 0 : lock_.wallOffset(now);  // on one host there is one clock
}

void LockedDisplay::onTick(TimestampNs now) {
    lock_.group().tick(now);
    if (newsAt_ == 0 || now - newsAt_ >= kNewsPeriod) {
        newsAt_ = now;
        link_.send(FrameLockNews{.wallOffset = wallOffset(now), .all = lock_.stats()});
    }
}

bool LockedDisplay::onMessage(MessageType type, ByteReader& reader) {
    const TimestampNs now = nowNs();
    if (type == MessageType::FrameReady) {
        lock_.group().ready(id_, decodeMessage<FrameReady>(reader).sequence, now);
        return true;
    }
    if (type != MessageType::FramePresented) {
        return false;
    }
    const FramePresented message = decodeMessage<FramePresented>(reader);
    const PeerClock& estimate = link_.peerClock();
    tie_.setWallOffsets(wallOffset(now), message.wallOffset);
    lock_.group().presented(id_,
                            {.sequence = message.sequence,
                             .shownAt = tie_.toLocal(estimate, message.shownAt),
                             .due = tie_.toLocal(estimate, message.due),
                             .couldAt = tie_.toLocal(estimate, message.couldAt),
                             .by = message.by,
                             .clock = tie_.by(estimate),
                             .clockError = tie_.errorNs(estimate)},
                            now);
    return true;
}

std::unique_ptr<LockedDisplay> lockedDisplay(Link& link, std::uint64_t id, FrameLock& lock) {
    const bool waits = (link.peer().features & kFrameLock) != 0 && !link.peer().isRail();
    return waits ? std::make_unique<LockedDisplay>(link, id, lock) : nullptr;
}

}  // namespace verbcast

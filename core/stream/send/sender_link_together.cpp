// What a sender's link does for a display that shows frames together with others.
#include <fmt/format.h>

#include "core/stream/send/sender_link.h"

namespace verbcast {
namespace {

constexpr TimestampNs kNewsPeriod = 1'000'000'000;

}  // namespace

void SenderLink::joinDisplays() {
    if (presents_) {
        // Displays of one host share a name.
        const std::string name = fmt::format("{} ({})", peer().name.value, description().peer);
        shared_.together->join(id_, peer().instance, name, std::max(1U, peer().slots), *this);
        keepTogether(nowNs());
    }
}

void SenderLink::leaveDisplays() noexcept {
    try {
        if (presents_) {
            shared_.together->leave(id_, nowNs());
        }
    } catch (...) {
        // No memory for its figures.
    }
}

/// Called from the thread of any link.
void SenderLink::present(const PresentFrame& message) noexcept {
    static_cast<void>(orders_.put(message));
}

void SenderLink::cameBack(const SenderTrack& track, std::uint64_t newest) {
    if (presents_ && track.id() == kMainTrack) {
        shared_.together->cameBack(id_, newest);
    }
}

TimestampNs SenderLink::wallOffset(TimestampNs now) {
    if (peerClock().sameHost()) {
        return 0;  // there is one clock
    }
    const std::lock_guard lock(shared_.keptMutex);
    return shared_.kept.wallOffset(now);
}

void SenderLink::keepTogether(TimestampNs now) {
    if (!presents_) {
        return;
    }
    shared_.together->tick(now);
    if (newsAt_ == 0 || now - newsAt_ >= kNewsPeriod) {
        newsAt_ = now;
        TogetherNews news = shared_.together->news();
        news.wallOffset = wallOffset(now);
        send(news);
    }
}

/// Returns false if the message is of another kind.
bool SenderLink::handleTogether(MessageType type, ByteReader& reader) {
    if (type != MessageType::FrameReady && type != MessageType::FramePresented) {
        return false;
    }
    if (!presents_) {
        throw Error(ErrorKind::Peer,
                    "the peer sent a message about presenting together without having joined");
    }
    const TimestampNs now = nowNs();
    if (type == MessageType::FrameReady) {
        shared_.together->ready(id_, decodeMessage<FrameReady>(reader).sequence, now);
        return true;
    }
    const FramePresented message = decodeMessage<FramePresented>(reader);
    const PeerClock& estimate = peerClock();
    tie_.setWallOffsets(wallOffset(now), message.wallOffset);
    shared_.together->presented(id_,
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

}  // namespace verbcast

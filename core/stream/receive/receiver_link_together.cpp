// What a viewer's link does to show its frames together with those of other displays.
#include <algorithm>
#include <utility>

#include "core/stream/receive/receiver_link.h"

namespace verbcast {

std::uint64_t ReceiverShared::sessionOfRails(std::uint64_t instance) {
    const std::lock_guard lock(sessionMutex);
    if (!railsSession || railsSession->instance != instance || instance == 0) {
        railsSession = {instance, together->onSession(SyncMode::Off, nullptr)};
    }
    return railsSession->session;
}

void ReceiverLink::beginTogether() {
    if (shared_.together == nullptr) {
        return;
    }
    if (merge_ != nullptr) {
        session_ = shared_.sessionOfRails(peer().instance);
        return;
    }
    const std::lock_guard lock(shared_.sessionMutex);
    shared_.railsSession.reset();
    const SyncMode mode = syncModeOf(peer().features);
    together_ = mode != SyncMode::Off;
    outbox_ = std::make_shared<Outbox>(loop());
    session_ = shared_.together->onSession(mode, outbox_);
}

std::optional<TimestampNs> ReceiverLink::nextDue() const {
    return together_ ? shared_.together->passesAt() : std::nullopt;
}

/// Returns false if the message is of another kind.
bool ReceiverLink::handleTogether(MessageType type, ByteReader& reader) {
    if (type != MessageType::PresentFrame && type != MessageType::TogetherNews) {
        return false;
    }
    if (!together_) {
        throw Error(ErrorKind::Peer, "the peer said when to show frames without having offered to");
    }
    if (type == MessageType::PresentFrame) {
        handleOrder(decodeMessage<PresentFrame>(reader));
        return true;
    }
    const TogetherNews news = decodeMessage<TogetherNews>(reader);
    const TimestampNs now = nowNs();
    const TimestampNs wallOffset = peerClock().sameHost() ? 0 : kept_.wallOffset(now);
    tie_.setWallOffsets(wallOffset, news.wallOffset);
    shared_.together->onNews(
        news, {.by = tie_.by(peerClock()), .errorNs = tie_.errorNs(peerClock()), .wallOffset = wallOffset});
    return true;
}

void ReceiverLink::handleOrder(PresentFrame order) {
    if (order.due != 0) {
        const TimestampNs now = nowNs();
        // Without a common clock it is due when the order comes.
        const TimestampNs due = peerClock().known() ? tie_.toLocal(peerClock(), order.due) : now;
        if (elapsedNs(now, due) > kMaxPresentAhead) {
            throw Error(ErrorKind::Peer, "the peer asked to show a frame at an impossible time");
        }
        // An order may have waited for long, if this program was suspended.
        order.due = std::max({due, now - kMaxPresentAhead, TimestampNs{1}});
    }
    shared_.together->onOrder(order);
}

void ReceiverLink::setPresentTime(ReceivedFrame& frame) const {
    frame.session = session_;
    if (!together_ || frame.info.track != kMainTrack) {
        return;
    }
    const TimestampNs after = TimestampNs{frame.info.presentAfterUs} * 1000;
    if (after > kMaxPresentAhead) {
        throw Error(ErrorKind::Peer, "the peer asked to show a frame at an impossible time");
    }
    const TimestampNs submitted = tie_.toLocal(peerClock(), frame.info.submittedAt);
    // Without a common clock it is due when it comes.
    const bool far = elapsedNs(submitted, frame.arrivedAt) > kMaxPresentAhead ||
                     elapsedNs(frame.arrivedAt, submitted) > kMaxPresentAhead;
    frame.presentAt = !peerClock().known() || far ? frame.arrivedAt : submitted + after;
}

}  // namespace verbcast

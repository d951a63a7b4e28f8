#include "core/sync/presenting_stream.h"

#include <algorithm>
#include <utility>

namespace verbcast {

std::uint64_t DisplaySessions::begin(const Hello& sender, SyncMode mode, std::shared_ptr<Outbox> outbox) {
    const std::lock_guard lock(mutex_);
    if (outbox) {
        shared_.reset();
        return listener_.onSession(mode, std::move(outbox));
    }
    if (!shared_ || shared_->instance != sender.instance || sender.instance == 0) {
        shared_ = {sender.instance, listener_.onSession(SyncMode::Off, nullptr)};
    }
    return shared_->session;
}

PresentingStream::~PresentingStream() {
    if (outbox_) {
        outbox_->close();
    }
}

void PresentingStream::onReady() {
    const Hello& sender = link_.peer();
    SyncMode mode = SyncMode::Off;
    if (!sender.isRail()) {
        mode = syncModeOf(sender.features);
        outbox_ = std::make_shared<Outbox>(link_.loop());
    }
    told_ = mode != SyncMode::Off;
    session_ = sessions_.begin(sender, mode, outbox_);
}

void PresentingStream::onEnd() noexcept {
    if (outbox_) {
        listener().onSessionEnd(outbox_);
    }
}

bool PresentingStream::step() {
    const bool passed = told_ && listener().passOver(nowNs());
    return (outbox_ && outbox_->flush(link_.messages())) || passed;
}

bool PresentingStream::onMessage(MessageType type, ByteReader& reader) {
    if (!told_) {
        return false;
    }
    if (type == MessageType::PresentFrame) {
        takeOrder(decodeMessage<PresentFrame>(reader));
        return true;
    }
    if (type != MessageType::FrameLockNews) {
        return false;
    }
    const FrameLockNews news = decodeMessage<FrameLockNews>(reader);
    const PeerClock& clock = link_.peerClock();
    const TimestampNs wallOffset = clock.sameHost() ? 0 : kept_.wallOffset(nowNs());
    tie_.setWallOffsets(wallOffset, news.wallOffset);
    listener().onNews(news, {.by = tie_.by(clock), .errorNs = tie_.errorNs(clock), .wallOffset = wallOffset});
    return true;
}

void PresentingStream::takeOrder(PresentFrame order) {
    if (order.due != 0) {
        const TimestampNs now = nowNs();
        const PeerClock& clock = link_.peerClock();
        // Without a common clock it is due when the order comes.
        const TimestampNs due = clock.known() ? tie_.toLocal(clock, order.due) : now;
        if (elapsedNs(now, due) > kMaxPresentAhead) {
            throw peerError("the peer asked to show a frame at an impossible time");
        }
        // An order may have waited for long, if this program was suspended.
        order.due = std::max({due, now - kMaxPresentAhead, TimestampNs{1}});
    }
    listener().onOrder(order);
}

void PresentingStream::onArrived(ReceivedFrame& frame) const {
    frame.session = session_;
    if (!told_ || frame.info.track != kFrameLockTrack) {
        return;
    }
    const TimestampNs after = TimestampNs{frame.info.presentAfterUs} * 1000;
    if (after > kMaxPresentAhead) {
        throw peerError("the peer asked to show a frame at an impossible time");
    }
    const TimestampNs submitted = tie_.toLocal(link_.peerClock(), frame.info.submittedAt);
    // Without a common clock it is due when it comes.
    const bool far = elapsedNs(submitted, frame.arrivedAt) > kMaxPresentAhead ||
                     elapsedNs(frame.arrivedAt, submitted) > kMaxPresentAhead;
    frame.presentAt = !link_.peerClock().known() || far ? frame.arrivedAt : submitted + after;
}

}  // namespace verbcast

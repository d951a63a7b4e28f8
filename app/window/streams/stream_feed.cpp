#include "app/window/streams/stream_feed.h"

#include <QSocketNotifier>
#include <utility>

#include "app/cli/report_error.h"
#include "app/window/stats/stats_text.h"
#include "core/base/log/peer_log.h"
#include "core/session/messages/session_end.h"

namespace verbcast {

StreamPeer peerAt(const ViewOptions& options, const SessionAddress& address, const std::string& keyFile) {
    StreamPeer peer{address};
    peer.rails = options.peers.front().rails;
    peer.reconnect = options.receiver.reconnect;
    TrustChoice choice = options.trustChoice.of(address.listen);
    choice.keyFile = keyFile;
    choice.open &= keyFile.empty();
    peer.trust = trustFor(choice, address.listen, address.url);
    return peer;
}

StreamFeed::StreamFeed(const ViewOptions& options, const StreamPeer& peer, std::shared_ptr<Recorder> recorder,
                       const ShownWith& with)
    : options_(options),
      peer_(peer),
      keyFile_(options.trustChoice.keyFile),
      recorder_(std::move(recorder)),
      with_(with),
      sound_(soundControls(options)) {}

StreamFeed::StreamFeed(const ViewOptions& options, const ShownWith& with)
    : options_(options),
      keyFile_(options.trustChoice.keyFile),
      with_(with),
      sound_(soundControls(options)),
      vacant_(true) {}

StreamFeed::~StreamFeed() = default;

void StreamFeed::waitUntilOpen() {
    if (receiver_) {
        receiver_->waitUntilOpen();
    }
}

void StreamFeed::accept(std::shared_ptr<IncomingStream> stream, const StreamPeer& peer) {
    peer_ = peer;
    accepted_ = std::move(stream);
    vacant_ = false;
    start();
}

std::string StreamFeed::name() const {
    return callersInstance() != 0 ? status().value_or(ReceiverStatus{}).peerName : peer_.url.text();
}

std::optional<LeftStream> StreamFeed::shownSoFar() const {
    const StreamStats shown = stats();
    return shown.framesTransferred == 0
               ? std::nullopt
               : std::optional(LeftStream{name(), status().value_or(ReceiverStatus{}), shown});
}

/// Before the receiver goes.
void StreamFeed::leave(const std::optional<LeftStream>& shown) {
    if (shown) {
        hasLeft_ = true;
        Q_EMIT left(*shown);
    }
}

std::unique_ptr<ReceiverThread> StreamFeed::vacate(const Message& message) {
    leave(shownSoFar());
    vacant_ = true;
    vacancy_ = message;
    accepted_.reset();
    forget();
    auto leaving = std::move(receiver_);
    if (leaving) {
        leaving->cancel();
        Q_EMIT receiverChanged();
    }
    Q_EMIT statusChanged();
    return leaving;
}

void StreamFeed::forget() {
    streamMessage_.reset();
    failure_ = nullptr;
    needsPairing_ = false;
    failureMessage_.reset();
    region_.reset();
    tileMessage_.reset();
    outcome_.reset();
    finishHandled_ = false;
    wake_.reset();
}

void StreamFeed::connectTo(const StreamPeer& peer, const std::string& keyFile) {
    leave(shownSoFar());
    peer_ = peer;
    keyFile_ = keyFile;
    vacant_ = false;
    accepted_.reset();
    start();
}

void StreamFeed::reconnect() {
    try {
        peer_.trust = peerAt(options_, peer_, keyFile_).trust;
    } catch (const Error&) {
        fail(std::current_exception());
        return;
    }
    reopen();
}

void StreamFeed::reopen() {
    if (!vacant_) {
        leave(shownSoFar());
        start();
    }
}

void StreamFeed::start() {
    forget();
    receiver_ =
        accepted_ ? std::make_unique<ReceiverThread>(options_, accepted_, std::move(receiver_), with_)
                  : std::make_unique<ReceiverThread>(options_, peer_, recorder_, std::move(receiver_), with_);
    receiver_->record(recorder_);
    receiver_->controlSound(sound_);
    wake_ = std::make_unique<QSocketNotifier>(receiver_->wakeDescriptor(), QSocketNotifier::Read);
    connect(wake_.get(), &QSocketNotifier::activated, this, &StreamFeed::onWake);
    Q_EMIT receiverChanged();
    Q_EMIT statusChanged();
}

void StreamFeed::close() {
    if (receiver_) {
        receiver_->close();
    }
}

void StreamFeed::record(std::shared_ptr<Recorder> recorder) {
    recorder_ = std::move(recorder);
    if (receiver_) {
        receiver_->record(recorder_);
    }
}

void StreamFeed::controlSound(const SoundControls& controls) {
    if (std::exchange(sound_, controls) != controls && receiver_) {
        receiver_->controlSound(controls);
    }
}

std::optional<Message> StreamFeed::message() {
    if (vacant_) {
        return vacancy_;
    }
    if (failureMessage_) {
        return failureMessage_;
    }
    std::optional<Message> ofStream = streamMessage_.update(status(), nowNs());
    if (!ofStream) {
        ofStream = soundAlone();
    }
    return ofStream ? ofStream : tileMessage_;
}

/// Nullopt unless sound comes, and no picture has come yet.
std::optional<Message> StreamFeed::soundAlone() const {
    const StreamStats stats = this->stats();
    if (!stats.isSoundAlone()) {
        return std::nullopt;
    }
    return Message{.title = tr("Sound without pictures"),
                   .text = soundDetails(*stats.sound),
                   .remedy = tr("V shows its level")};
}

void StreamFeed::onWake() {
    receiver_->clearWake();
    if (silent_) {
        return;
    }
    if (receiver_->mailbox().hasFrame()) {
        Q_EMIT frameWaiting();
    } else {
        Q_EMIT statusChanged();
    }
    if (receiver_->finished() && !finishHandled_) {
        finishHandled_ = true;
        Q_EMIT lastFrameWaiting();
        onFinished();
    }
}

void StreamFeed::onFinished() {
    if (receiver_->failure()) {
        fail(receiver_->failure());
        return;
    }
    outcome_ = outcomeOf(receiver_->status());
    Q_EMIT over();
}

/// Reports on standard error; a kiosk does so itself.
void StreamFeed::report(const std::exception_ptr& failure) const {
    try {
        if (!options_.kiosk) {
            std::rethrow_exception(failure);
        }
    } catch (...) {
        static_cast<void>(reportCurrentError());
    }
}

void StreamFeed::fail(const std::exception_ptr& failure) {
    report(failure);
    failure_ = failure;
    outcome_ = outcomeOf(failure);
    needsPairing_ = false;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        needsPairing_ = dynamic_cast<const PairingNeeded*>(&error) != nullptr;
        failureMessage_ = errorMessage(error);
        if (needsPairing_) {
            failureMessage_ = {.title = tr("Not paired yet"),
                               .text = tr("The other side serves paired hosts only, and shows a code now"),
                               .remedy = tr("Press O and connect again to type the code")};
        }
    } catch (const std::exception& error) {
        failureMessage_ = errorMessage(error);
    }
    Q_EMIT over();
    if (silent_) {
        return;
    }
    Q_EMIT statusChanged();
    if (needsPairing_) {
        Q_EMIT pairingWanted();
    }
}

/// Checks whether the pictures fit the wall's display shown here; also reports on standard error.
void StreamFeed::followTile(const std::shared_ptr<const PictureRegion>& region) {
    region_ = region;
    tileMessage_.reset();
    if (!options_.tile || !region) {
        return;
    }
    const ViewedTile& tile = *options_.tile;
    const std::string text = tile.fitText(*region, receiver_->misfit());
    if (!text.empty()) {
        warnOfPeer(LogCategory::Window, "misfit", "", "{}", text);
    }
    if (region->isNone()) {
        tileMessage_ = {
            .title = tr("This picture does not fit the wall"),
            .text =
                !tile.wall.sources.empty()
                    ? QString::fromStdString(text)
                    : tr("It must be rotated or stretched before it is shown, which walls do not support"),
            .remedy = tr("Send upright pictures with square pixels")};
    }
    Q_EMIT statusChanged();
}

void StreamFeed::frameShown(const ReceivedFrame& frame) {
    receiver_->frameShown(frame);
    ++shown_;
    if (frame.region != region_) {
        followTile(frame.region);
    }
}

}  // namespace verbcast

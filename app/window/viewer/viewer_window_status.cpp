// Status of a stream in the viewer's window: strip, title, message, padlock and the panel of stage times.
#include <QFileInfo>
#include <QStorageInfo>
#include <utility>

#include "app/window/figures/alignment_text.h"
#include "app/window/figures/rails_text.h"
#include "app/window/figures/stage_overlay.h"
#include "app/window/figures/together_text.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/viewer/viewer_window.h"

namespace verbcast {
namespace {

// Connecting to a running sender is faster: "connecting" would only flash.
constexpr qint64 kMessageAfterMilliseconds = 300;

QString pictureSize(const StreamStats& stats) {
    return stats.format ? QString("%1x%2").arg(stats.format->width).arg(stats.format->height) : QString();
}

QString peerText(const ReceiverStatus& status) {
    return QString::fromStdString(status.peerName.empty() ? status.channel.peer : status.peerName);
}

}  // namespace

void ViewerWindow::refresh() {
    const std::size_t focus = video_->focus();
    const TimestampNs now = nowNs();
    StripContent content;
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        const StreamStats stats = controller_.feed(stream).stats();
        if (stats.framesTransferred > 0) {
            shown_[stream].history.add(now, stats.bytes, stats.framesTransferred, stats.framesShown);
            remember(stream);
        }
        if (stream == focus) {
            content.stats = stats;
        }
        refreshMessage(stream);
    }
    const PicturePane& pane = video_->focused();
    content.status = focusedFeed().status().value_or(ReceiverStatus{});
    content.colourNote = QString::fromStdString(pane.colourNote());
    content.uploadNote = QString::fromStdString(pane.uploadReport().reason);
    if (const auto alignment = controller_.alignment()) {
        const StreamAlignment own = focusedFeed().alignment().value_or(StreamAlignment{});
        content.alignmentNote = alignmentText(*alignment, own, controller_.options().slots);
    }
    if (content.stats.together) {
        content.alignmentNote = togetherText(*content.stats.together);
    }
    content.zoomPercent = pane.view().zoomPercent();
    content.paused = video_->paused();
    content.padlock = padlock(content.status);
    showRecordingIn(content);
    followInput();
    content.input = inputMode_.state();
    strip_->setContent(content, shown_[focus].history, now);
    refreshTitle(content);
    refreshSign(content.padlock);
    refreshPairing();
    refreshStagePanel(content);
    refreshLabels();
    refreshComparison();
}

void ViewerWindow::showRecordingIn(StripContent& content) {
    const Take* const take = controller_.take(video_->focus());
    content.recording = take != nullptr ? std::optional(take->recorder()->status()) : controller_.recording();
    const QString path =
        QString::fromStdString(take != nullptr ? take->path() : controller_.options().output);
    content.recordingName = path == "-" ? tr("standard output") : QFileInfo(path).fileName();
    if (content.recording && path != "-") {
        content.recordingRoom = QStorageInfo(QFileInfo(path).absolutePath()).bytesAvailable();
    }
    content.record = !controller_.mayRecord() ? RecordChoice::None
                     : take != nullptr        ? RecordChoice::Stop
                                              : RecordChoice::Start;
}

PadlockState ViewerWindow::padlock(const ReceiverStatus& status) {
    const bool connected = status.state == StreamState::Connected || status.state == StreamState::Streaming;
    const StreamPeer& peer = focusedFeed().peer();
    return {.protection = connected ? std::optional(status.trust.protection) : std::nullopt,
            .open = peer.listen && peer.trust.open};
}

/// An address is worth keeping once it has brought a picture: typing errors have not.
void ViewerWindow::remember(std::size_t stream) {
    const StreamFeed& feed = controller_.feed(stream);
    if (!std::exchange(shown_[stream].remembered, true) && feed.callersInstance() == 0) {
        rememberStream({QString::fromStdString(feed.peer().url.text()), feed.peer().listen});
    }
}

/// What the strip would say, where there is none.
void ViewerWindow::refreshSign(const PadlockState& padlock) {
    const bool stripless = !strip_->isVisible();
    const std::optional<PadlockState> warning =
        stripless && padlock.alarming() ? std::optional(padlock) : std::nullopt;
    const bool pause = stripless && video_->paused();
    const bool changed = std::exchange(warning_, warning) != warning;
    if (std::exchange(pauseSign_, pause) != pause || changed) {
        video_->setWarning(pause ? renderToast(tr("\u275a\u275a  Paused: Space continues"), video_->width(),
                                               devicePixelRatioF())
                           : warning ? renderPadlockWarning(*warning, devicePixelRatioF())
                                     : QImage());
    }
}

void ViewerWindow::refreshPairing() {
    const StreamPeer& peer = focusedFeed().peer();
    pairing_->follow(peer.listen && peer.trust.book ? peer.trust.book->invitation() : std::nullopt);
}

void ViewerWindow::refreshTitle(const StripContent& content) {
    const auto streams = static_cast<int>(controller_.streams());
    const auto& tile = controller_.options().tile;
    QStringList parts{"Verbcast", tile ? QString::fromStdString(tile->display.name) : QString(),
                      streams > 1 ? tr("%n streams", nullptr, streams) : QString(), peerText(content.status),
                      pictureSize(content.stats)};
    parts.removeAll(QString());
    const QString title = parts.join(" - ");
    if (title != windowTitle()) {
        setWindowTitle(title);
    }
}

void ViewerWindow::refreshMessage(std::size_t stream) {
    ShownStream& shown = shown_[stream];
    const bool tooEarly = shown.sinceConnecting.elapsed() < kMessageAfterMilliseconds;
    std::optional<Message> message = tooEarly ? std::nullopt : controller_.feed(stream).message();
    if (message) {
        message = inWindowWords(*message);
        if (isFullScreen() && message->remedy.isEmpty() && controller_.streams() == 1) {
            message->remedy = tr("Esc leaves fullscreen; Q quits");
        }
    }
    const TargetRect area = video_->pane(stream).place().value_or(PicturePlace{}).clip;
    const QSize room = QSize(area.width, area.height) / devicePixelRatioF() * 9 / 10;
    if (message == shown.message && room == shown.messageRoom) {
        return;
    }
    shown.message = message;
    shown.messageRoom = room;
    if (stream == video_->focus()) {
        videoContainer_->setAccessibleDescription(message ? message->title + ". " + message->text
                                                          : QString());
    }
    QImage image;
    if (message) {
        image = renderMessage(*message, room.width(), devicePixelRatioF());
        const QSizeF size = image.deviceIndependentSize();
        if (size.height() > room.height() || size.width() > room.width()) {
            image = renderToast(message->title, room.width(), devicePixelRatioF());
        }
    }
    video_->setMessage(image, stream);
}

void ViewerWindow::refreshStagePanel(const StripContent& content) {
    if (!stagePanelVisible_) {
        return;
    }
    const StreamStats& stats = content.stats;
    const StageTimes times{.capture = stats.stageCapture,
                           .post = stats.stagePost,
                           .wire = stats.stageWire,
                           .upload = video_->focused().uploadTimes(),
                           .show = stats.stageShow,
                           .input = stats.inputToPicture,
                           .clockErrorUs = stats.clockErrorUs,
                           .uploadNote = QString::fromStdString(video_->focused().uploadReport().reason),
                           .alignmentNote = content.alignmentNote,
                           .railsNote = railsDetails(stats.rails),
                           .protection = content.padlock.protection};
    video_->setStagePanel(renderStagePanel(times, devicePixelRatioF()));
}

}  // namespace verbcast

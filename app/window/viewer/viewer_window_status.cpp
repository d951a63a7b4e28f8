// Status of a stream in the viewer's window: strip, title, message, padlock and the panel of stage times.
#include <QFileInfo>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "app/cli/peer_options.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/stats/stage_overlay.h"
#include "app/window/stats/stats_text.h"
#include "app/window/viewer/viewer_window.h"

namespace verbcast {
namespace {

// Connecting to a running sender is faster: "connecting" would only flash.
constexpr qint64 kMessageAfterMilliseconds = 300;

QString pictureSize(const StreamStats& stats) {
    return stats.format ? QString("%1x%2").arg(stats.format->width).arg(stats.format->height) : QString();
}

/// Both, or the one that there is.
QImage oneBelowTheOther(const QImage& first, const QImage& second) {
    if (first.isNull() || second.isNull()) {
        return first.isNull() ? second : first;
    }
    const double ratio = first.devicePixelRatio();
    const int gap = static_cast<int>(6 * ratio);
    QImage both(std::max(first.width(), second.width()), first.height() + gap + second.height(),
                QImage::Format_ARGB32_Premultiplied);
    both.fill(Qt::transparent);
    both.setDevicePixelRatio(ratio);
    QPainter painter(&both);
    painter.drawImage(QPointF(0, 0), first);
    painter.drawImage(QPointF(0, (first.height() + gap) / ratio), second);
    return both;
}

QString peerText(const ReceiverStatus& status) {
    return QString::fromStdString(status.peerName.empty() ? status.channel.peer : status.peerName);
}

}  // namespace

void ViewerWindow::refresh() {
    sound_.follow();
    const std::size_t focus = video_->focus();
    const TimestampNs now = nowNs();
    StripContent content;
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        const StreamStats stats = controller_.feed(stream).stats();
        if (stats.framesTransferred > 0 || stats.sound) {
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
        content.alignmentNote = alignmentText(*alignment, own, controller_.options().receiver.slots);
    }
    if (content.stats.frameLock) {
        content.alignmentNote = frameLockText(*content.stats.frameLock);
    }
    content.zoomPercent = pane.view().zoomPercent();
    content.paused = video_->paused();
    content.muted = sound_.muted();
    content.padlock = padlock(content.status);
    showRecordingIn(content);
    followInput();
    content.input = inputMode_.state();
    strip_->setContent(content, shown_[focus].history, now);
    refreshTitle(content);
    refreshSign(content);
    refreshPairing();
    refreshStagePanel(content);
    refreshLabels();
    refreshComparison();
    if (sentView_.running()) {
        sentView_.follow(session().view, focus + 1);
    }
}

void ViewerWindow::showRecordingIn(StripContent& content) {
    const std::size_t focus = video_->focus();
    content.recording = controller_.recording(focus);
    const QString path = QString::fromStdString(controller_.recordingPath(focus));
    content.recordingName = path == "-" ? tr("standard output") : QFileInfo(path).fileName();
    content.record = !controller_.mayRecord()     ? RecordChoice::None
                     : controller_.records(focus) ? RecordChoice::Stop
                                                  : RecordChoice::Start;
}

PadlockState ViewerWindow::padlock(const ReceiverStatus& status) {
    const bool connected = status.state == StreamState::Connected || status.state == StreamState::Streaming;
    const StreamPeer* const door = listener();
    return {.protection = connected ? std::optional(status.trust.protection) : std::nullopt,
            .open = door != nullptr && door->trust.open};
}

/// Where senders may call this window, whichever stream is in focus; null: nowhere.
const StreamPeer* ViewerWindow::listener() const {
    if (controller_.options().takesCallers()) {
        return &controller_.options().peers.front();
    }
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        const StreamFeed& feed = controller_.feed(stream);
        if (!feed.vacant() && feed.peer().listen) {
            return &feed.peer();
        }
    }
    return nullptr;
}

/// An address is worth keeping once it has brought a picture, or sound: typing errors have not. Those of the
/// command line are kept together.
void ViewerWindow::remember(std::size_t stream) {
    if (std::exchange(shown_[stream].remembered, true)) {
        return;
    }
    const StreamFeed& feed = controller_.feed(stream);
    const std::vector<StreamPeer>& given = controller_.options().peers;
    const auto isGiven = [&](const StreamPeer& peer) {
        return addressText(peer) == addressText(feed.peer()) && peer.listen == feed.peer().listen;
    };
    if (feed.callersInstance() != 0 || feed.peer().listen) {
        return;
    }
    QStringList addresses;
    if (std::ranges::any_of(given, isGiven)) {
        if (std::exchange(rememberedGiven_, true)) {
            return;
        }
        for (const StreamPeer& peer : given) {
            if (peer.track == kMainTrack) {
                addresses << QString::fromStdString(addressText(peer));
            }
        }
    } else {
        addresses << QString::fromStdString(addressText(feed.peer()));
    }
    rememberStream({addresses.join(' '), false});
}

/// What the strip would say, where there is none.
void ViewerWindow::refreshSign(const StripContent& content) {
    const bool stripless = !strip_->isVisible();
    QStringList words;
    if (stripless && content.recording && content.recordingName != tr("standard output")) {
        words << (content.recording->problem.empty() ? tr("\u25cf REC  %1") : tr("\u25cb REC stopped  %1"))
                     .arg(content.recordingName);
    }
    if (stripless && content.paused) {
        words << (inputMode_.on() ? tr("\u275a\u275a  Paused") : tr("\u275a\u275a  Paused: Space continues"));
    }
    const std::optional<PadlockState> warning =
        stripless && content.padlock.alarming() ? std::optional(content.padlock) : std::nullopt;
    const QString text = words.join("\n");
    const bool changed = std::exchange(warning_, warning) != warning;
    if (std::exchange(sign_, text) == text && !changed) {
        return;
    }
    const QImage padlock = warning ? renderPadlockWarning(*warning, devicePixelRatioF()) : QImage();
    const QImage said =
        text.isEmpty() ? QImage() : renderToast(text, video_->width() * 9 / 10, devicePixelRatioF());
    video_->setWarning(oneBelowTheOther(padlock, said));
}

void ViewerWindow::refreshPairing() {
    const StreamPeer* const door = listener();
    pairing_->follow(door != nullptr && door->trust.book ? door->trust.book->invitation() : std::nullopt);
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

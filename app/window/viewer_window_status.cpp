// What the viewer's window tells about its stream: strip, title, message, padlock and the panel of stage
// times.
#include <utility>

#include "app/window/stage_overlay.h"
#include "app/window/viewer_window.h"

namespace verbcast {
namespace {

// Connecting to a sender that is there takes less: "connecting" would only flash up.
constexpr qint64 kMessageAfterMilliseconds = 300;

QString pictureSize(const StreamStats& stats) {
    return stats.format ? QString("%1x%2").arg(stats.format->width).arg(stats.format->height) : QString();
}

QString peerText(const ReceiverStatus& status) {
    return QString::fromStdString(status.peerName.empty() ? status.channel.peer : status.peerName);
}

}  // namespace

void ViewerWindow::refresh() {
    StripContent content;
    content.status = controller_.status().value_or(ReceiverStatus{});
    content.stats = controller_.stats();
    content.colourNote = video_->colourNote();
    content.uploadNote = QString::fromStdString(video_->uploadReport().reason);
    content.zoomPercent = video_->view().zoomPercent();
    content.paused = video_->paused();
    content.padlock = padlock(content.status);
    followInput();
    content.input = inputMode_.state();
    const TimestampNs now = nowNs();
    if (content.stats.framesTransferred > 0) {
        history_.add(now, content.stats.bytes, content.stats.framesTransferred);
    }
    strip_->setContent(content, history_, now);
    refreshTitle(content);
    refreshMessage();
    refreshPadlock(content.padlock);
    refreshPairing();
    refreshStagePanel(content);
}

PadlockState ViewerWindow::padlock(const ReceiverStatus& status) const {
    const bool connected = status.state == StreamState::Connected || status.state == StreamState::Streaming;
    const ViewOptions& options = controller_.options();
    return {.protection = connected ? std::optional(status.trust.protection) : std::nullopt,
            .open = options.listen && options.trust.open};
}

void ViewerWindow::refreshPadlock(const PadlockState& state) {
    // Fullscreen hides the strip.
    const std::optional<PadlockState> warning =
        isFullScreen() && state.alarming() ? std::optional(state) : std::nullopt;
    if (std::exchange(warning_, warning) != warning) {
        video_->setWarning(warning ? renderPadlockWarning(*warning, devicePixelRatioF()) : QImage());
    }
}

void ViewerWindow::refreshPairing() {
    const ViewOptions& options = controller_.options();
    pairing_->follow(options.listen && options.trust.book ? options.trust.book->invitation() : std::nullopt);
}

void ViewerWindow::refreshTitle(const StripContent& content) {
    QStringList parts{"Verbcast", peerText(content.status), pictureSize(content.stats)};
    parts.removeAll(QString());
    const QString title = parts.join(" - ");
    if (title != windowTitle()) {
        setWindowTitle(title);
    }
}

void ViewerWindow::refreshMessage() {
    const bool tooEarly = sinceConnecting_.elapsed() < kMessageAfterMilliseconds;
    const std::optional<Message> message = tooEarly ? std::nullopt : controller_.message();
    const int maximumWidth = video_->width() * 9 / 10;
    if (message == message_ && maximumWidth == messageWidth_) {
        return;
    }
    message_ = message;
    messageWidth_ = maximumWidth;
    videoContainer_->setAccessibleDescription(message ? message->title + ". " + message->text : QString());
    video_->setMessage(message ? renderMessage(*message, maximumWidth, devicePixelRatioF()) : QImage());
}

void ViewerWindow::refreshStagePanel(const StripContent& content) {
    if (!stagePanelVisible_) {
        return;
    }
    const StreamStats& stats = content.stats;
    const StageTimes times{.capture = stats.stageCapture,
                           .post = stats.stagePost,
                           .wire = stats.stageWire,
                           .upload = video_->uploadTimes(),
                           .show = stats.stageShow,
                           .input = stats.inputToPicture,
                           .clockErrorUs = stats.clockErrorUs,
                           .uploadNote = QString::fromStdString(video_->uploadReport().reason),
                           .protection = content.padlock.protection};
    video_->setStagePanel(renderStagePanel(times, devicePixelRatioF()));
}

}  // namespace verbcast

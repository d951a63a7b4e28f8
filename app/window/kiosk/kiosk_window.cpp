#include "app/window/kiosk/kiosk_window.h"

#include <QGuiApplication>
#include <QScreen>
#include <cstdio>
#include <utility>

#include "app/window/desktop/window_manager.h"
#include "app/window/input/keysym.h"
#include "app/window/kiosk/kiosk_screen.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// Changes of state are signalled; this catches one that came together with a last frame.
constexpr auto kFollowPeriod = 250ms;
// What failed once, like an address of a network that is not up yet, is not worth a busy loop.
constexpr auto kRetryAfter = 2s;

}  // namespace

KioskWindow::KioskWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video)
    : controller_(controller),
      wantedScreen_(QString::fromStdString(controller.options().screen)),
      video_(std::move(video)),
      input_([&controller](const InputEvent& event) { return controller.feed().sendInput(event); },
             [this](const QPointF& position) { return video_->streamPoint(position); },
             platformGivesKeysyms()) {
    const std::string& still = controller.options().still;
    video_->setCurtain(Curtain(still.empty() ? QImage() : loadStill(still)));
    video_->setScreen(findScreen(wantedScreen_));
    video_->setTogether(controller_.together());
    video_->setTitle("Verbcast");
    video_->setCursor(Qt::BlankCursor);
    video_->installEventFilter(this);
    connectParts();
}

KioskWindow::~KioskWindow() {
    input_.releaseAll();
    // Going away it still gets events, when what would handle them is gone.
    video_->removeEventFilter(this);
}

void KioskWindow::connectParts() {
    StreamFeed& feed = controller_.feed();
    connect(&feed, &StreamFeed::frameWaiting, video_.get(), &VideoSurface::paintNow);
    connect(&feed, &StreamFeed::lastFrameWaiting, video_.get(), &VideoSurface::paintNow);
    connect(&feed, &StreamFeed::receiverChanged, this, [this, &feed] { video_->setMailbox(feed.mailbox()); });
    connect(&feed, &StreamFeed::statusChanged, this, &KioskWindow::followSignal);
    connect(&controller_, &ViewerController::recordingFailed, this, [this] {
        if (const auto recording = controller_.recording()) {
            say("recording has stopped: " + QString::fromStdString(recording->problem));
        }
    });
    connect(video_.get(), &VideoSurface::frameShown, &controller_, &ViewerController::frameShown);
    connect(video_.get(), &VideoSurface::frameShown, this, &KioskWindow::onFrameShown);
    // Queued: it is emitted while OpenGL paints.
    connect(video_.get(), &VideoSurface::failed, &feed, &StreamFeed::fail, Qt::QueuedConnection);
    connect(
        video_.get(), &VideoSurface::paneFailed, &feed,
        [&feed](std::size_t, const std::exception_ptr& failure) { feed.fail(failure); },
        Qt::QueuedConnection);
    connect(&followTimer_, &QTimer::timeout, this, &KioskWindow::followSignal);
    retryTimer_.setSingleShot(true);
    connect(&retryTimer_, &QTimer::timeout, &feed, &StreamFeed::reopen);
    connect(&screenSaver_, &ScreenSaverInhibitor::report, this, &KioskWindow::say);
    // Queued: Qt moves windows itself while it emits these.
    connect(qGuiApp, &QGuiApplication::screenAdded, this, &KioskWindow::place, Qt::QueuedConnection);
    connect(qGuiApp, &QGuiApplication::screenRemoved, this, &KioskWindow::place, Qt::QueuedConnection);
}

void KioskWindow::show() {
    place();
    const QScreen& screen = *video_->screen();
    say(QString("kiosk on %1 (%2x%3); SIGTERM ends it")
            .arg(screen.name())
            .arg(screen.size().width() * screen.devicePixelRatio())
            .arg(screen.size().height() * screen.devicePixelRatio()));
    if (const StreamPeer& peer = controller_.feed().peer(); peer.listen && peer.trust.open) {
        say("open to anybody: any host that reaches the address may send (--open)");
        video_->setWarning(renderPadlockWarning({.open = true}, screen.devicePixelRatio()));
    }
    screenSaver_.start();
    followTimer_.start(kFollowPeriod);
}

void KioskWindow::place() {
    QScreen* screen = nullptr;
    try {
        screen = findScreen(wantedScreen_);
    } catch (const Error&) {
        return;  // unplugged: Qt moved the window elsewhere, and it comes back with the monitor
    }
    disconnect(video_->screen(), &QScreen::geometryChanged, this, nullptr);
    video_->setScreen(screen);
    connect(screen, &QScreen::geometryChanged, this, &KioskWindow::place, Qt::QueuedConnection);
    // A window manager that knows several monitors fills the one that the window lies on.
    video_->setGeometry(screen->geometry());
    video_->showFullScreen();
    if (!windowManagerRuns()) {
        video_->setGeometry(screen->geometry());
    }
    video_->requestActivate();
}

bool KioskWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == video_.get()) {
        if (event->type() == QEvent::Close) {
            input_.releaseAll();
            controller_.endByUser();
        } else if (input_.forward(*event)) {
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

void KioskWindow::onFrameShown() {
    input_.frameDisplayed();
    if (!video_->curtainOpening()) {
        const auto status = controller_.feed().status();
        if (status && status->state == StreamState::Streaming && !controller_.feed().failure()) {
            video_->moveCurtain(true);
        }
    }
}

void KioskWindow::followSignal() {
    if (controller_.outcome()) {
        return;
    }
    followTile();
    const auto status = controller_.feed().status();
    const auto& failure = controller_.feed().failure();
    if (failure || !status || status->state != StreamState::Streaming) {
        video_->moveCurtain(false);
    }
    if (failure) {
        tellFailure(failure);
        if (!retryTimer_.isActive()) {
            retryTimer_.start(kRetryAfter);
        }
    } else if (status) {
        tellState(*status);
    }
}

/// A display of a wall that stays black would be looked for in vain: it says why.
void KioskWindow::followTile() {
    const auto& message = controller_.feed().tileMessage();
    if (message != tileMessage_) {
        tileMessage_ = message;
        video_->setMessage(message ? renderMessage(*message, video_->width(), video_->devicePixelRatio())
                                   : QImage());
        video_->requestUpdate();
    }
}

void KioskWindow::tellState(const ReceiverStatus& status) {
    const bool none = status.state == StreamState::Waiting || status.state == StreamState::Connecting;
    const std::string text = none ? status.text : std::string();
    if (std::exchange(toldState_, status.state) == status.state && toldText_ == text) {
        return;
    }
    toldText_ = text;
    const QString reason =
        status.senderReason.empty() ? QString() : QString::fromStdString(" (" + status.senderReason + ")");
    if (status.state == StreamState::Lost) {
        say("signal lost" + reason);
    } else if (status.state == StreamState::Ended) {
        say("the stream ended" + reason);
    } else {
        say(QString::fromStdString(status.text));
    }
    if (status.state == StreamState::Streaming) {
        toldFailure_.clear();
    }
}

void KioskWindow::tellFailure(const std::exception_ptr& failure) {
    // Its own words: those of windows are in the user's language.
    QString text;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        text = QString::fromUtf8(error.what());
        text += error.remedy().empty() ? QString() : "\n  try: " + QString::fromStdString(error.remedy());
    } catch (const std::exception& error) {
        text = QString::fromUtf8(error.what());
    }
    // A failure that stays is told once, not every time that it is met again.
    if (std::exchange(toldFailure_, text) != text) {
        std::fprintf(stderr, "verbcast: %s\n  trying again every %d s\n", qPrintable(text),
                     static_cast<int>(std::chrono::seconds(kRetryAfter).count()));
    }
    toldState_.reset();
}

void KioskWindow::say(const QString& text) const {
    if (controller_.options().verbosity != Verbosity::Quiet) {
        std::fprintf(stderr, "verbcast: %s\n", qPrintable(text));
    }
}

}  // namespace verbcast

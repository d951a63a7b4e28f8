#include "app/window/kiosk/kiosk_window.h"

#include <QGuiApplication>
#include <QScreen>
#include <utility>

#include "app/window/desktop/x_windows.h"
#include "app/window/input/keysym.h"
#include "app/window/kiosk/kiosk_screen.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// State changes are signalled; polling catches one that came together with a last frame.
constexpr auto kFollowPeriod = 250ms;

}  // namespace

KioskWindow::KioskWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video)
    : controller_(controller),
      words_(controller.options().verbosity),
      wantedScreen_(QString::fromStdString(controller.options().screen)),
      video_(std::move(video)),
      input_([&controller](const InputEvent& event) { return controller.feed().sendInput(event); },
             [this](const QPointF& position) { return video_->streamPoint(position); },
             platformGivesKeysyms()) {
    const std::string& still = controller.options().still;
    video_->setCurtain(Curtain(still.empty() ? QImage() : loadStill(still)));
    video_->setScreen(findScreen(wantedScreen_));
    video_->setFrameLock(controller_.frameLock());
    video_->setTitle("Verbcast");
    video_->setCursor(Qt::BlankCursor);
    video_->installEventFilter(this);
    connectParts();
}

KioskWindow::~KioskWindow() {
    input_.releaseAll();
    // During destruction it still gets events, when their handlers are gone.
    video_->removeEventFilter(this);
}

void KioskWindow::connectParts() {
    StreamFeed& feed = controller_.feed();
    connect(&feed, &StreamFeed::frameWaiting, video_.get(), &VideoSurface::paintNow);
    connect(&feed, &StreamFeed::lastFrameWaiting, video_.get(), &VideoSurface::paintLast);
    connect(&feed, &StreamFeed::receiverChanged, this, [this, &feed] { video_->setMailbox(feed.mailbox()); });
    connect(&feed, &StreamFeed::statusChanged, this, &KioskWindow::followSignal);
    connect(&controller_, &ViewerController::recordingFailed, this, [this] {
        if (const auto recording = controller_.recording()) {
            say("recording has stopped: " + QString::fromStdString(recording->problem));
        }
    });
    connect(video_.get(), &VideoSurface::frameShown, &controller_, &ViewerController::frameShown);
    connect(video_.get(), &VideoSurface::frameShown, this, &KioskWindow::onFrameShown);
    // Queued: emitted while OpenGL paints.
    connect(video_.get(), &VideoSurface::failed, &feed, &StreamFeed::fail, Qt::QueuedConnection);
    connect(
        video_.get(), &VideoSurface::paneFailed, &feed,
        [&feed](std::size_t, const std::exception_ptr& failure) { feed.fail(failure); },
        Qt::QueuedConnection);
    connect(&followTimer_, &QTimer::timeout, this, &KioskWindow::followSignal);
    connect(&screenSaver_, &ScreenSaverInhibitor::report, this, &KioskWindow::say);
    // Queued: Qt moves windows itself while it emits these signals.
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
    words_.opening(openingText(controller_.options(), controller_.feed().peer()));
    followTimer_.start(kFollowPeriod);
}

void KioskWindow::place() {
    QScreen* screen = nullptr;
    try {
        screen = findScreen(wantedScreen_);
    } catch (const Error&) {
        return;  // unplugged: Qt moved the window elsewhere; it returns with the monitor
    }
    disconnect(video_->screen(), &QScreen::geometryChanged, this, nullptr);
    video_->setScreen(screen);
    connect(screen, &QScreen::geometryChanged, this, &KioskWindow::place, Qt::QueuedConnection);
    // A window manager that knows several monitors fills the one that contains the window.
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
    if (words_.follow(failure, status)) {
        // Queued: a signal of the feed may have led here.
        QMetaObject::invokeMethod(&controller_.feed(), &StreamFeed::reopen, Qt::QueuedConnection);
    }
}

/// Shows why a display of a wall stays black, so that nobody has to search for the cause.
void KioskWindow::followTile() {
    const auto& message = controller_.feed().tileMessage();
    if (message != tileMessage_) {
        tileMessage_ = message;
        video_->setMessage(message ? renderMessage(*message, video_->width(), video_->devicePixelRatio())
                                   : QImage());
        video_->requestUpdate();
    }
}

void KioskWindow::say(const QString& text) const {
    words_.say(text.toStdString());
}

}  // namespace verbcast

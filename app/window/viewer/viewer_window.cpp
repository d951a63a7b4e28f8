#include "app/window/viewer/viewer_window.h"

#include <QCloseEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScreen>
#include <QThreadPool>
#include <QVBoxLayout>
#include <QWindow>
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "app/window/desktop/x_windows.h"
#include "app/window/input/keysym.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/picture/snapshot.h"
#include "app/window/settings/user_folder.h"
#include "app/window/style/theme.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kRefreshPeriod{250};
constexpr std::chrono::seconds kToastTime{5};
constexpr double kVolumeStep = 5;
constexpr qsizetype kLoggedLinesInToast = 4;

/// Held down, other keys act once: they switch something, or remove it.
bool mayRepeat(int key) {
    constexpr std::array kKeys{Qt::Key_Up,    Qt::Key_Down, Qt::Key_Plus,
                               Qt::Key_Minus, Qt::Key_Tab,  Qt::Key_Backtab};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

void logScreenSaver(const QString& text, bool asWanted) {
    if (asWanted) {
        log(LogCategory::Window).info("{}", text.toStdString());
    } else if (static bool told = false; !std::exchange(told, true)) {
        log(LogCategory::Window).warn("the screen may turn off in fullscreen: {}", text.toStdString());
    }
}

}  // namespace

ViewerWindow::ViewerWindow(ViewerController& controller, std::unique_ptr<VideoSurface> video)
    : controller_(controller),
      pairing_(new PairingBanner(this)),
      pairingOffer_(new PairingOffer(this)),
      video_(video.release()),
      videoContainer_(QWidget::createWindowContainer(video_, this)),
      sound_(controller, *video_),
      strip_(new StatusStrip(this)),
      nativeKeysyms_(platformGivesKeysyms()),
      inputMode_(controller.options().input),
      input_([this](const InputEvent& event) { return focusedFeed().sendInput(event); },
             [this](const QPointF& position) { return video_->streamPoint(position); }, nativeKeysyms_),
      idleCursor_(*video_) {
    setWindowTitle("Verbcast");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    videoContainer_->setMinimumSize(160, 90);
    videoContainer_->setFocusPolicy(Qt::StrongFocus);
    videoContainer_->setAccessibleName(tr("Picture"));
    column->addWidget(pairing_);
    column->addWidget(videoContainer_, 1);
    column->addWidget(strip_);
    connectParts();
    video_->setFrameLock(controller_.frameLock());
    followStreams();
    followSet();
    takeInitialSize();
    video_->installEventFilter(this);
    videoContainer_->setFocus();
    refresh();
}

ViewerWindow::~ViewerWindow() {
    // Pictures still being saved or compared use this window.
    QThreadPool::globalInstance()->waitForDone();
}

void ViewerWindow::connectParts() {
    connect(this, &ViewerWindow::pictureSaved, this, &ViewerWindow::showToast, Qt::QueuedConnection);
    connect(&controller_, &ViewerController::recordingFailed, this, [this] {
        if (const auto recording = controller_.recording()) {
            showToast(tr("Recording has stopped: %1").arg(QString::fromStdString(recording->problem)));
        }
    });
    connect(pairingOffer_, &PairingOffer::paired, this, &ViewerWindow::onPaired);
    connect(video_, &VideoSurface::frameShown, &controller_, &ViewerController::frameShown);
    connect(&controller_, &ViewerController::takeEnded, this, &ViewerWindow::tellTake);
    connect(strip_, &StatusStrip::inputClicked, this, &ViewerWindow::toggleInput);
    connect(strip_, &StatusStrip::recordClicked, this, &ViewerWindow::toggleRecording);
    // The picture's window itself gets no focus events: the window around it has the keyboard focus.
    connect(qGuiApp, &QGuiApplication::focusWindowChanged, this, [this](const QWindow* window) {
        if (window != video_ && window != windowHandle()) {
            hostKey_ = {};
            input_.releaseAll();
        }
    });
    connect(video_, &VideoSurface::frameShown, this, [this](const ReceivedFrame&, std::size_t stream) {
        if (stream == video_->focus()) {
            input_.frameDisplayed();
        }
        if (shown_.at(stream).message) {
            refreshMessage(stream);
        }
    });
    // Queued: emitted while OpenGL paints.
    connect(
        video_, &VideoSurface::failed, this,
        [this](const std::exception_ptr& failure) { controller_.feed().fail(failure); },
        Qt::QueuedConnection);
    connect(
        video_, &VideoSurface::paneFailed, this,
        [this](std::size_t pane, const std::exception_ptr& failure) {
            if (pane < controller_.streams()) {
                controller_.feed(pane).fail(failure);
            }
        },
        Qt::QueuedConnection);
    connect(video_, &VideoSurface::panePressed, this, &ViewerWindow::focusOn);
    connect(video_, &VideoSurface::panePointed, this, [this](std::optional<std::size_t> pane) {
        pointed_ = pane;
        pane ? showNames() : refreshLabels();
    });
    connect(video_, &VideoSurface::fullscreenToggled, this, &ViewerWindow::toggleFullscreen);
    connect(video_, &VideoSurface::viewChanged, this, &ViewerWindow::refresh, Qt::QueuedConnection);
    connect(&refreshTimer_, &QTimer::timeout, this, &ViewerWindow::refresh);
    connect(&sentView_, &SentView::news, this, &ViewerWindow::showToast);
    connect(&sound_, &WindowSound::news, this, &ViewerWindow::showToast);
    refreshTimer_.start(kRefreshPeriod);
    connect(&screenSaver_, &ScreenSaverInhibitor::report, this, &logScreenSaver);
    connect(&logged_, &LogNews::said, this, &ViewerWindow::tellLogged);
    toastTimer_.setSingleShot(true);
    connect(&toastTimer_, &QTimer::timeout, this, [this] {
        video_->setToast({});
        toast_.clear();
        if (!isFullScreen()) {
            freshlyLogged_.clear();
        }
    });
}

void ViewerWindow::takeInitialSize() {
    QSize picture(1280, 720);
    const QSize screen = QGuiApplication::primaryScreen()->availableSize();
    if (screen.width() >= 3000 && screen.height() >= 1700) {
        picture = {1920, 1080};
    }
    const QSize room = theme::roomForWindow() - QSize(0, strip_->height());
    if (picture.width() > room.width() || picture.height() > room.height()) {
        picture.scale(room, Qt::KeepAspectRatio);
    }
    resize(picture + QSize(0, strip_->height()));
}

void ViewerWindow::openOn(QScreen& screen) {
    setScreen(&screen);
    const QRect area = screen.availableGeometry();
    resize(size().boundedTo(area.size()));
    move(area.center() - rect().center());
}

bool ViewerWindow::eventFilter(QObject* watched, QEvent* event) {
    // The picture is a window of its own and gets the keys while the mouse is over it or it has the focus.
    if (watched == video_) {
        if (takeInput(*event) || takeDrop(*event)) {
            return true;
        }
        if (event->type() == QEvent::KeyPress) {
            keyPressEvent(static_cast<QKeyEvent*>(event));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

bool ViewerWindow::event(QEvent* event) {
    // Keys that went to the window around the picture.
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease;
    return (isKey && takeInput(*event)) || takeDrop(*event) || QWidget::event(event);
}

bool ViewerWindow::takeInput(QEvent& event) {
    if (isInputChord(event)) {
        toggleInput();
        return true;
    }
    switch (hostKey_.see(event, nativeKeysyms_)) {
        case HostKey::Meaning::Taken:
            return true;
        case HostKey::Meaning::Switch:
            toggleInput();
            return true;
        case HostKey::Meaning::Viewer:
            return input_.forwardRelease(event);
        case HostKey::Meaning::Nothing:
            break;
    }
    return inputMode_.on() && input_.forward(event);
}

void ViewerWindow::followInput() {
    const auto status = focusedFeed().status();
    const bool streaming = status && status->state == StreamState::Streaming;
    const bool changed = focusedFeed().vacant() ? inputMode_.leave()
                                                : inputMode_.update(streaming, focusedFeed().inputAllowed());
    if (changed) {
        tellInput();
    }
}

void ViewerWindow::toggleInput() {
    followInput();
    switch (inputMode_.state()) {
        case InputState::NoStream:
            return showToast(tr("No sender is connected yet"));
        case InputState::Refused:
            return showToast(tr("This sender does not accept input: it must be allowed there"));
        case InputState::Off:
        case InputState::On:
            inputMode_.want(!inputMode_.on());
            tellInput();
            refresh();
    }
}

void ViewerWindow::tellInput() {
    video_->setFramed(inputMode_.on());
    if (inputMode_.on()) {
        showToast(tr("Keys and mouse now go to the sender. Press Right Ctrl to stop"));
    } else {
        input_.releaseAll();
        showToast(tr("Keys and mouse are the viewer's again. Press Right Ctrl to send them"));
    }
}

void ViewerWindow::keyPressEvent(QKeyEvent* event) {
    if (event->isAutoRepeat() && !mayRepeat(event->key())) {
        return;
    }
    if (takeStreamKey(*event) || takeSoundKey(event->key())) {
        return;
    }
    switch (event->key()) {
        case Qt::Key_F:
            return toggleFullscreen();
        case Qt::Key_Escape:
            if (isFullScreen()) {
                toggleFullscreen();
            }
            return;
        case Qt::Key_0:
            return video_->fit();
        case Qt::Key_1:
        case Qt::Key_P:
            return video_->oneToOne();
        case Qt::Key_I:
            return toggleStagePanel();
        case Qt::Key_W:
            return toggleWaveform();
        case Qt::Key_H:
            return toggleStrip();
        case Qt::Key_R:
            return event->modifiers().testFlag(Qt::ControlModifier) ? toggleRecording()
                                                                    : QWidget::keyPressEvent(event);
        case Qt::Key_S:
            return event->modifiers().testFlag(Qt::ControlModifier) ? saveSession() : saveSnapshot();
        case Qt::Key_Space:
            return togglePause();
        case Qt::Key_O:
            return askForAddress();
        case Qt::Key_A:
            return askForStream();
        case Qt::Key_Delete:
            return removeStream(video_->focus());
        case Qt::Key_Menu:
            return showMenu(QCursor::pos());
        case Qt::Key_F1:
        case Qt::Key_Question:
            return HelpSheet(HelpSheet::viewerKeys(), this).exec(), void();
        case Qt::Key_Q:
            close();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

bool ViewerWindow::takeSoundKey(int key) {
    switch (key) {
        case Qt::Key_M:
            sound_.toggleMute();
            refresh();
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            sound_.changeVolume(key == Qt::Key_Up ? kVolumeStep : -kVolumeStep);
            refresh();
            return true;
        case Qt::Key_V:
            sound_.toggleMeters();
            return true;
        default:
            return false;
    }
}

void ViewerWindow::closeEvent(QCloseEvent* event) {
    input_.releaseAll();
    controller_.endByUser();
    QWidget::closeEvent(event);
}

void ViewerWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::WindowStateChange) {
        strip_->setVisible(stripWanted_ && !isFullScreen());
        idleCursor_.setOn(isFullScreen());
        isFullScreen() ? screenSaver_.start() : screenSaver_.stop();
        if (isFullScreen()) {
            freshlyLogged_.clear();  // it was in the window's toast
        }
        showToast(isFullScreen() ? tr("Esc leaves fullscreen; F1 lists all keys") : QString());
        refresh();
    }
    QWidget::changeEvent(event);
}

void ViewerWindow::setFullscreen(bool fullscreen) {
    const bool managed = windowManagerRuns();
    if (fullscreen) {
        windowedGeometry_ = geometry();
        showFullScreen();
    } else {
        showNormal();
    }
    if (!managed) {
        // Through the QWindow: QWidget::setGeometry() would leave fullscreen.
        windowHandle()->setGeometry(fullscreen ? screen()->geometry() : windowedGeometry_);
    }
}

void ViewerWindow::toggleFullscreen() {
    setFullscreen(!isFullScreen());
}

void ViewerWindow::toggleStagePanel() {
    stagePanelVisible_ = !stagePanelVisible_;
    video_->setStagePanel({});
    refresh();
}

void ViewerWindow::toggleWaveform() {
    std::vector<std::string> overlays = video_->overlays();
    if (std::erase(overlays, kWaveform) == 0) {
        overlays.emplace_back(kWaveform);
    }
    video_->setOverlays(std::move(overlays));
}

void ViewerWindow::toggleStrip() {
    stripWanted_ = !stripWanted_;
    strip_->setVisible(stripWanted_ && !isFullScreen());
    if (!stripWanted_) {
        showToast(tr("H shows the strip again"));
    }
    refresh();
}

void ViewerWindow::togglePause() {
    video_->setPaused(!video_->paused());
    refresh();
}

void ViewerWindow::saveSnapshot() {
    if (!video_->hasPicture()) {
        showToast(tr("There is no picture to save yet"));
        return;
    }
    showToast(tr("Saving the picture ..."));
    auto picture = std::make_shared<const RgbaImage>(video_->readPicture());
    const QString name = snapshotName(QDateTime::currentDateTime(), video_->focused().sequence());
    // Compressing a 4K picture takes about a second; do not block painting.
    QThreadPool::globalInstance()->start([this, picture, name] {
        try {
            Q_EMIT pictureSaved(
                tr("Saved %1").arg(saveNewPng(*picture, userFolder(QStandardPaths::PicturesLocation), name)));
        } catch (const Error& error) {
            Q_EMIT pictureSaved(QString::fromUtf8(error.what()));
        }
    });
}

/// Of the focused stream; each goes into a file of its own.
void ViewerWindow::toggleRecording() {
    const std::size_t stream = video_->focus();
    if (!controller_.mayRecord()) {
        return showToast(tr("This stream is recorded already, into %1")
                             .arg(QString::fromStdString(controller_.options().output)));
    }
    if (controller_.records(stream)) {
        showToast(tr("Completing the recording ..."));
        controller_.stopTake(stream);
        return refresh();
    }
    const ReceiverStatus status = focusedFeed().status().value_or(ReceiverStatus{});
    if (status.state != StreamState::Streaming) {
        return showToast(tr("No pictures come that could be recorded"));
    }
    const std::string& name = status.peerName;
    const QString path = takePath(userFolder(QStandardPaths::MoviesLocation),
                                  name.empty() ? addressOf(stream) : QString::fromStdString(name));
    try {
        controller_.startTake(stream, path.toStdString());
        showToast(tr("Recording every frame into %1").arg(path));
    } catch (const Error& error) {
        showToast(tr("Not recorded: %1").arg(QString::fromUtf8(error.what())));
    }
    refresh();
}

void ViewerWindow::tellTake(const FinishedTake& take) {
    const QString path = QString::fromStdString(take.path);
    const auto frames = static_cast<int>(take.status.frames);
    QString text = !take.problem.empty()
                       ? tr("Recording %1 has stopped: %2").arg(path, QString::fromStdString(take.problem))
                   : take.status.bytes == 0 ? tr("Nothing was recorded: no picture came")
                   : frames == 0            ? tr("Recorded the sound in %1").arg(path)
                                            : tr("Recorded %n frames in %1", nullptr, frames).arg(path);
    if (take.status.leftOut > 0) {
        text += "\n" + tr("%n frames arrived while writing was behind, and are not in the file", nullptr,
                          static_cast<int>(take.status.leftOut));
    }
    if (take.dropped > 0) {
        text += "\n" + tr("%n frames were dropped on the way", nullptr, static_cast<int>(take.dropped));
    }
    for (const std::string& note : take.notes) {
        text += "\n" + QString::fromStdString(note);
    }
    showToast(text);
}

void ViewerWindow::showToast(const QString& text) {
    toast_ = text;
    paintToast();
}

/// What is logged is not shown over a picture that fills the screen: it may have an audience.
void ViewerWindow::paintToast() {
    QStringList lines = isFullScreen() ? QStringList() : freshlyLogged_;
    if (!toast_.isEmpty()) {
        lines.prepend(toast_);
    }
    const int room = video_->width() * 9 / 10;
    video_->setToast(lines.isEmpty() ? QImage() : renderToast(lines.join('\n'), room, devicePixelRatioF()));
    toastTimer_.start(kToastTime);
}

/// Of what standard error says, the warnings and errors.
void ViewerWindow::tellLogged(const QString& text) {
    freshlyLogged_ << text;
    if (freshlyLogged_.size() > kLoggedLinesInToast) {
        freshlyLogged_.removeFirst();
    }
    if (!isFullScreen()) {
        paintToast();
    }
}

}  // namespace verbcast

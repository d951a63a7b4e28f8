#include "app/window/main/preview_pane.h"

#include <QLabel>
#include <chrono>

#include "app/window/parts/core_words.h"
#include "app/window/parts/window_words.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kBetweenPaints{33};

QString asHtml(const QString& title, const QString& text) {
    return QString("<p style='font-size: large; color: %1'><b>%2</b></p><p style='color: %3'>%4</p>")
        .arg(theme::kOverVideo.text.name(), title.toHtmlEscaped(), theme::kOverVideo.muted.name(),
             text.toHtmlEscaped());
}

}  // namespace

PreviewPane::PreviewPane(QWidget* parent) : QStackedWidget(parent), text_(new QLabel(this)) {
    setAccessibleName(tr("Preview"));
    setMinimumSize(theme::line() * 16, theme::line() * 9);
    setStyleSheet(QString("background: %1").arg(theme::kCanvas.name()));
    text_->setAlignment(Qt::AlignCenter);
    text_->setWordWrap(true);
    text_->setMargin(theme::line());
    text_->setTextFormat(Qt::RichText);
    addWidget(text_);
    makeVideo();
    pace_.setSingleShot(true);
    pace_.setTimerType(Qt::PreciseTimer);
    connect(&pace_, &QTimer::timeout, this, &PreviewPane::paintDue);
}

PreviewPane::~PreviewPane() {
    release();
}

void PreviewPane::makeVideo() {
    try {
        auto video = std::make_unique<VideoSurface>(UploadPath::Direct);
        // The native window must not take the page's keys and clicks.
        video->setFlag(Qt::WindowTransparentForInput);
        video_ = video.release();
        videoContainer_ = QWidget::createWindowContainer(video_, this);
        videoContainer_->setFocusPolicy(Qt::NoFocus);
        addWidget(videoContainer_);
    } catch (const Error& error) {
        text_->setText(asHtml(tr("No preview"), QString::fromUtf8(error.what()) + ". " +
                                                    QString::fromStdString(error.remedy())));
    }
}

void PreviewPane::watch(const std::string& address) {
    release();
    if (video_ == nullptr) {
        return;
    }
    ViewOptions options;
    options.peers.front().url = parseUrl(address);
    options.receiver.slots = 2;
    options.memory = PictureMemory::Auto;
    options.receiver.device = video_->gpuMemory(false);
    controller_ = std::make_unique<ViewerController>(options);
    StreamFeed& feed = controller_->feed();
    connect(&feed, &StreamFeed::frameWaiting, this, &PreviewPane::frameWaiting);
    connect(&feed, &StreamFeed::lastFrameWaiting, this, &PreviewPane::frameWaiting);
    connect(video_, &VideoSurface::frameShown, controller_.get(), &ViewerController::frameShown);
    connect(video_, &VideoSurface::failed, &feed, &StreamFeed::fail, Qt::QueuedConnection);
    connect(
        video_, &VideoSurface::paneFailed, &feed,
        [&feed](std::size_t, const std::exception_ptr& failure) { feed.fail(failure); },
        Qt::QueuedConnection);
    connect(&feed, &StreamFeed::receiverChanged, this,
            [this] { video_->setMailbox(controller_->feed().mailbox()); });
    // Queued: showing the text ends the feed.
    connect(&feed, &StreamFeed::over, this, &PreviewPane::tellFailure, Qt::QueuedConnection);
    controller_->reopen();
}

void PreviewPane::tellFailure() {
    if (!controller_ || !controller_->feed().failure()) {
        return;
    }
    const Message message = inWindowWords(controller_->feed().message().value_or(Message{}));
    showText(tr("No preview"), message.remedy.isEmpty()
                                   ? sentence(message.text)
                                   : sentence(message.text) + ". " + sentence(message.remedy));
}

void PreviewPane::showText(const QString& title, const QString& text) {
    release();
    if (video_ != nullptr) {
        text_->setText(asHtml(title, text));
    }
    setCurrentWidget(text_);
}

void PreviewPane::release() {
    frameWaits_ = false;
    if (controller_) {
        video_->setMailbox(nullptr);
        controller_.reset();
    }
}

void PreviewPane::frameWaiting() {
    frameWaits_ = true;
    if (!pace_.isActive()) {
        paintDue();
    }
}

void PreviewPane::paintDue() {
    if (!std::exchange(frameWaits_, false) || !controller_) {
        return;
    }
    if (currentWidget() != videoContainer_) {
        setCurrentWidget(videoContainer_);  // its first exposure paints
    }
    video_->paintNow();
    pace_.start(kBetweenPaints);
}

}  // namespace verbcast

#include "app/window/video_surface.h"

#include <QMouseEvent>
#include <QOpenGLPaintDevice>
#include <QPainter>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "app/window/display_check.h"
#include "app/window/theme.h"
#include "core/base/error.h"
#include "render/picture_geometry.h"

namespace verbcast {
namespace {

constexpr double kZoomPerNotch = 1.25;
constexpr std::chrono::nanoseconds kFramesCome = std::chrono::milliseconds(40);  // 25 a second and more
constexpr double kWheelNotch = 120;  // eighths of a degree, Qt's unit

}  // namespace

VideoSurface::VideoSurface(UploadPath upload) : fallback_(new QOffscreenSurface) {
    setSurfaceType(QSurface::OpenGLSurface);
    setFormat(QSurfaceFormat::defaultFormat());
    fallback_->setFormat(format());
    fallback_->create();
    context_ = makeOpenGlContext(*fallback_);
    renderer_ = std::make_unique<StreamRenderer>(upload);
}

VideoSurface::~VideoSurface() {
    if (context_->makeCurrent(fallback_.get())) {
        renderer_.reset();
        context_->doneCurrent();
    } else {
        // The context is lost and its objects with it; deleting them without one would crash.
        static_cast<void>(renderer_.release());
    }
}

void VideoSurface::makeCurrent() {
    QSurface* surface = handle() != nullptr ? static_cast<QSurface*>(this) : fallback_.get();
    if (!context_->makeCurrent(surface)) {
        throw Error(ErrorKind::Display, "the OpenGL context was lost", "open the window again");
    }
}

void VideoSurface::setMailbox(FrameMailbox* mailbox) {
    mailbox_ = mailbox;
    broken_ = false;
    uploadTimes_.clear();
}

void VideoSurface::setPaused(bool paused) {
    paused_ = paused;
    requestUpdate();
}

void VideoSurface::fit() {
    view_.fit();
    changeView();
}

void VideoSurface::oneToOne() {
    view_.oneToOne();
    changeView();
}

void VideoSurface::paintNow() {
    if (!isExposed() || broken_) {
        return;
    }
    try {
        paint();
    } catch (...) {
        broken_ = true;
        Q_EMIT failed(std::current_exception());
    }
}

void VideoSurface::paint() {
    makeCurrent();
    takeFrame();
    const TimestampNs now = nowNs();
    paintPicture(curtain_ ? curtain_->opacity(now) : 0);
    if (!stagePanel_.isNull() || !message_.isNull() || !toast_.isNull() || !warning_.isNull()) {
        paintOverlays();
    }
    context_->swapBuffers(this);
    reportShown();
    if (curtain_ && curtain_->moving(now)) {
        requestUpdate();
    }
}

void VideoSurface::paintPicture(double covered) {
    const QColor around = curtain_ ? QColor(Qt::black) : theme::kCanvas;
    const float clear[3] = {around.redF(), around.greenF(), around.blueF()};
    const QSize pixels = pixelSize();
    if (covered < 1) {
        renderer_->draw(view_.placement(), pixels.width(), pixels.height(), clear);
    }
    if (covered > 0) {
        paintCurtain(covered);
    }
}

void VideoSurface::paintCurtain(double opacity) {
    QOpenGLPaintDevice device(pixelSize());
    QPainter painter(&device);
    painter.setOpacity(opacity);
    painter.drawImage(0, 0, curtain_->image(pixelSize()));
}

void VideoSurface::setCurtain(Curtain curtain) {
    curtain_ = std::move(curtain);
    requestUpdate();
}

void VideoSurface::moveCurtain(bool open) {
    if (open == curtain_->opening()) {
        return;
    }
    if (open) {
        curtain_->open(nowNs());
    } else {
        curtain_->close(nowNs());
    }
    requestUpdate();
}

std::optional<QPointF> VideoSurface::streamPoint(const QPointF& position) const {
    if (!hasPicture()) {
        return std::nullopt;
    }
    const QPointF at = position * devicePixelRatio();
    const StreamPoint point = streamPointAt(renderer_->format(), view_.placement(), at.x(), at.y());
    return QPointF(point.x, point.y);
}

QSize VideoSurface::pixelSize() const {
    return size() * devicePixelRatio();
}

bool VideoSurface::event(QEvent* event) {
    if (event->type() == QEvent::UpdateRequest) {
        const TimestampNs now = nowNs();
        if (curtain_ && curtain_->moving(now) && now - frameShownAt_ < kFramesCome.count()) {
            requestUpdate();  // the next frame paints the next step; a paint of its own would make it late
        } else {
            paintNow();
        }
        return true;
    }
    return QWindow::event(event);
}

void VideoSurface::exposeEvent(QExposeEvent* /*event*/) {
    paintNow();
}

void VideoSurface::resizeEvent(QResizeEvent* /*event*/) {
    view_.setTarget(pixelSize().width(), pixelSize().height());
    requestUpdate();
    Q_EMIT viewChanged();
}

void VideoSurface::changeView() {
    if (view_.canPan()) {
        setCursor(Qt::OpenHandCursor);
    } else {
        unsetCursor();
    }
    requestUpdate();
    Q_EMIT viewChanged();
}

void VideoSurface::setStagePanel(const QImage& panel) {
    stagePanel_ = panel;
    requestUpdate();
}

void VideoSurface::setMessage(const QImage& message) {
    message_ = message;
    requestUpdate();
}

void VideoSurface::setToast(const QImage& toast) {
    toast_ = toast;
    requestUpdate();
}

void VideoSurface::setWarning(const QImage& warning) {
    warning_ = warning;
    requestUpdate();
}

RgbaImage VideoSurface::readPicture() {
    makeCurrent();
    return renderer_->readPicture();
}

QString VideoSurface::colourNote() const {
    return hasPicture() ? QString::fromStdString(renderer_->colourNote()) : QString();
}

void VideoSurface::takeFrame() {
    ReceivedFrame frame;
    if (paused_ || mailbox_ == nullptr || !mailbox_->take(frame)) {
        return;
    }
    renderer_->upload(*frame.format, frame.lease.data());
    frame.lease.reset();
    uploadTimes_.record(static_cast<std::int64_t>(renderer_->uploadReport().lastMilliseconds * 1e6));
    view_.setPicture(displaySize(*frame.format));
    sequence_ = frame.info.sequence;
    drawn_ = std::move(frame);
}

void VideoSurface::paintOverlays() {
    QOpenGLPaintDevice device(pixelSize());
    device.setDevicePixelRatio(devicePixelRatio());
    QPainter painter(&device);
    const int margin = theme::line();
    if (!message_.isNull()) {
        painter.fillRect(QRect(QPoint(), size()), QColor(0, 0, 0, 150));
    }
    if (!stagePanel_.isNull()) {
        painter.drawImage(QPoint(margin, margin), stagePanel_);
    }
    if (!message_.isNull()) {
        const QSizeF size = message_.deviceIndependentSize();
        painter.drawImage(
            QPointF(std::round((width() - size.width()) / 2), std::round((height() - size.height()) / 2)),
            message_);
    }
    if (!toast_.isNull()) {
        const QSizeF size = toast_.deviceIndependentSize();
        painter.drawImage(
            QPointF(std::round((width() - size.width()) / 2), std::round(height() - size.height() - margin)),
            toast_);
    }
    if (!warning_.isNull()) {
        painter.drawImage(
            QPointF(std::round(width() - warning_.deviceIndependentSize().width() - margin), margin),
            warning_);
    }
}

void VideoSurface::reportShown() {
    if (const auto frame = std::exchange(drawn_, std::nullopt)) {
        frameShownAt_ = nowNs();
        Q_EMIT frameShown(*frame);
    }
}

void VideoSurface::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / kWheelNotch;
    if (notches == 0 || !hasPicture()) {
        return;
    }
    const QPointF at = event->position() * devicePixelRatio();
    view_.zoomAt(at.x(), at.y(), std::pow(kZoomPerNotch, notches));
    changeView();
}

void VideoSurface::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && view_.canPan()) {
        dragFrom_ = event->position();
        setCursor(Qt::ClosedHandCursor);
    }
}

void VideoSurface::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) == 0 || !view_.canPan()) {
        return;
    }
    const QPointF moved = (event->position() - dragFrom_) * devicePixelRatio();
    dragFrom_ = event->position();
    view_.panBy(moved.x(), moved.y());
    requestUpdate();
}

void VideoSurface::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        changeView();
    }
}

void VideoSurface::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT fullscreenToggled();
    }
}

}  // namespace verbcast

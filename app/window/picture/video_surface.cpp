#include "app/window/picture/video_surface.h"

#include <QOpenGLPaintDevice>
#include <QPainter>
#include <QScreen>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/window/desktop/display_check.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

constexpr std::chrono::nanoseconds kFramesCome = std::chrono::milliseconds(40);  // at 25 fps or more
constexpr double kPaceOfScreen =
    0.75;                   // fraction of the screen's refresh period; swapping waits for the rest
constexpr double kGap = 6;  // between pictures, in device-independent pixels

std::array<float, 3> componentsOf(const QColor& colour) {
    return {colour.redF(), colour.greenF(), colour.blueF()};
}

}  // namespace

VideoSurface::VideoSurface(UploadPath upload) : upload_(upload), fallback_(new QOffscreenSurface) {
    setSurfaceType(QSurface::OpenGLSurface);
    setFormat(QSurfaceFormat::defaultFormat());
    fallback_->setFormat(format());
    fallback_->create();
    context_ = makeOpenGlContext(*fallback_);
    panes_.push_back(std::make_unique<PicturePane>(upload));
    pace_.setSingleShot(true);
    pace_.setTimerType(Qt::PreciseTimer);
    connect(&pace_, &QTimer::timeout, this, &VideoSurface::paintNow);
    patience_.setSingleShot(true);
    connect(&patience_, &QTimer::timeout, this, &VideoSurface::paintNow);
    arrange();
}

VideoSurface::~VideoSurface() {
    if (context_->makeCurrent(fallback_.get())) {
        difference_.reset();
        stereo_.reset();
        panes_.clear();
        context_->doneCurrent();
    } else {
        // The context is lost along with its objects; deleting them without one would crash.
        static_cast<void>(difference_.release());
        static_cast<void>(stereo_.release());
        for (auto& pane : panes_) {
            static_cast<void>(pane.release());
        }
    }
}

void VideoSurface::makeCurrent() {
    QSurface* surface = handle() != nullptr ? static_cast<QSurface*>(this) : fallback_.get();
    if (!context_->makeCurrent(surface)) {
        throw Error(ErrorKind::Display, "the OpenGL context was lost", "open the window again");
    }
}

std::shared_ptr<const DeviceAllocator> VideoSurface::gpuMemory(bool must) {
    makeCurrent();
    return memoryOfDrawingGpu(must);
}

void VideoSurface::addPane() {
    makeCurrent();
    panes_.push_back(std::make_unique<PicturePane>(upload_));
    arrange();
}

void VideoSurface::removePane(std::size_t pane) {
    makeCurrent();
    showHeld();
    if (panes_.size() == 1) {
        panes_[0] = std::make_unique<PicturePane>(upload_);
    } else {
        if (pane == 0) {
            setFrameLock(nullptr);  // another stream moves up
        }
        panes_.erase(panes_.begin() + static_cast<std::ptrdiff_t>(pane));
    }
    forgetPane(pane);
    forgetSwapped(pane, true);
    focus_ = std::min(focus_ > pane ? focus_ - 1 : focus_, panes_.size() - 1);
    solo_ = false;
    arrange();
}

void VideoSurface::setMailbox(FrameMailbox* mailbox, std::size_t pane) {
    for (std::size_t side = 0; side < paired_.size(); ++side) {
        if (paired_[side] == pane) {
            pairing_.forget(side);  // belongs to another stream
        }
    }
    forgetSwapped(pane, false);
    panes_.at(pane)->setMailbox(mailbox);
    broken_ = false;
}

void VideoSurface::setTile(const ViewedTile& tile) {
    makeCurrent();
    panes_.front()->setTile(tile);
}

void VideoSurface::setLayout(const Layout& layout) {
    layout_ = &layout;
    arrange();
    for (const std::size_t pane : together(focus_)) {
        panes_[pane]->view().fit();
    }
}

void VideoSurface::setFocus(std::size_t pane) {
    focus_ = std::min(pane, panes_.size() - 1);
    arrange();
}

void VideoSurface::setSolo(bool solo) {
    solo_ = solo;
    arrange();
}

void VideoSurface::setFramed(bool framed) {
    framed_ = framed;
    requestUpdate();
}

void VideoSurface::arrange() {
    const QSize pixels = pixelSize();
    std::vector<DisplaySize> pictures;
    for (const auto& pane : panes_) {
        pane->setPlace(std::nullopt);
        pictures.push_back(pane->size());
    }
    const LayoutRequest request{.layout = layout_,
                                .width = pixels.width(),
                                .height = pixels.height(),
                                .gap = static_cast<int>(std::lround(kGap * devicePixelRatio())),
                                .focus = focus_,
                                .divider = divider_,
                                .panes = free_,
                                .swapEyes = swapsEyes_};
    const TargetRect whole{0, 0, request.width, request.height};
    const auto places = solo_ ? std::vector<PicturePlace>{{focus_, whole, whole}} : layOut(pictures, request);
    order_.clear();
    for (const PicturePlace& place : places) {
        panes_[place.picture]->setPlace(place);
        order_.push_back(place.picture);
    }
    requestUpdate();
    Q_EMIT viewChanged();
}

void VideoSurface::setPaused(bool paused) {
    paused_ = paused;
    requestUpdate();
}

void VideoSurface::setMeters(const QImage& meters, std::size_t pane) {
    overlay_.meters = meters;
    metersPane_ = pane;
    if (meters.isNull() || nowNs() - paintedAt_ > kFramesCome.count()) {
        requestUpdate();
    }
}

void VideoSurface::fit() {
    for (const std::size_t pane : together(focus_)) {
        panes_[pane]->view().fit();
    }
    changeView();
}

void VideoSurface::oneToOne() {
    for (const std::size_t pane : together(focus_)) {
        panes_[pane]->view().oneToOne();
    }
    changeView();
}

void VideoSurface::paintNow() {
    if (!isExposed() || broken_) {
        return;
    }
    try {
        isFrameLocked() ? repaintFrameLocked() : paint();
    } catch (...) {
        broken_ = true;
        Q_EMIT failed(std::current_exception());
    }
}

void VideoSurface::paintSoon() {
    const double period =
        panes_.size() > 1 ? 1e9 * kPaceOfScreen / std::max(screen()->refreshRate(), 1.0) : 0;
    const double wait = static_cast<double>(paintedAt_ - nowNs()) + period;
    if (wait <= 0) {
        paintNow();
    } else if (!pace_.isActive()) {
        pace_.start(static_cast<int>(std::ceil(wait / 1e6)));
    }
}

void VideoSurface::paint() {
    makeCurrent();
    const TimestampNs now = nowNs();
    paintedAt_ = now;
    takeFrames();
    paintPictures(curtain_ ? curtain_->opacity(now) : 0);
    paintOverImages();
    swap(false);
    if (curtain_ && curtain_->moving(now)) {
        requestUpdate();
    }
}

void VideoSurface::takeFrames() {
    bool reshaped = paired_ != order_ || !pairs() ? showHeld() : false;
    if (!paused_ && pairs()) {
        reshaped |= takePair();
    } else if (!paused_) {
        for (const std::size_t pane : order_) {
            auto frame = panes_[pane]->nextFrame();
            reshaped |= frame && showIn(pane, std::move(*frame));
        }
    }
    if (reshaped && panes_.size() > 1) {
        arrange();
    }
}

/// A stream's pictures may be too large for the texture memory left by the others.
bool VideoSurface::showIn(std::size_t pane, ReceivedFrame frame) {
    try {
        return panes_[pane]->show(std::move(frame));
    } catch (...) {
        panes_[pane]->setMailbox(nullptr);
        Q_EMIT paneFailed(pane, std::current_exception());
        return false;
    }
}

void VideoSurface::paintPictures(double covered) {
    const auto around = componentsOf(curtain_ ? theme::kBlack : theme::kCanvas);
    const QSize pixels = pixelSize();
    const float clear[3] = {around[0], around[1], around[2]};
    if (covered < 1 && order_.size() > 1) {
        clearTarget(pixels.width(), pixels.height(), clear);
    }
    if (covered < 1 && compares()) {
        paintDifference();
    } else if (covered < 1 && isStereoPicture()) {
        paintStereo();
    } else if (covered < 1) {
        for (const std::size_t pane : order_) {
            panes_[pane]->draw(pixels.width(), pixels.height(), clear, overlays_);
        }
    }
    if (covered > 0) {
        paintCurtain(covered);
    }
}

bool VideoSurface::compares() const {
    return layout_->way == LayoutWay::Difference && order_.size() > 1;
}

void VideoSurface::paintDifference() {
    if (!difference_) {
        difference_ = std::make_unique<PictureDifference>();
    }
    PicturePane& first = *panes_[order_[0]];
    PicturePane& second = *panes_[order_[1]];
    const QSize pixels = pixelSize();
    const auto& place = *first.place();
    difference_->draw(first.placed(), second.placed(),
                      {pixels.width(), pixels.height(), place.area, place.clip}, kDifferenceGain);
}

std::pair<RgbaImage, RgbaImage> VideoSurface::readCompared() {
    makeCurrent();
    return {panes_[order_[0]]->readPicture(), panes_[order_[1]]->readPicture()};
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
    return focused().streamPoint(unsqueezed(position * devicePixelRatio()));
}

QSize VideoSurface::pixelSize() const {
    return size() * devicePixelRatio();
}

bool VideoSurface::event(QEvent* event) {
    if (event->type() == QEvent::UpdateRequest) {
        const TimestampNs now = nowNs();
        if (curtain_ && curtain_->moving(now) && now - frameShownAt_ < kFramesCome.count()) {
            requestUpdate();  // the next frame paints the next step; a paint of its own would delay it
        } else {
            paintNow();
        }
        return true;
    }
    if (event->type() == QEvent::Leave) {
        Q_EMIT panePointed(std::nullopt);
    }
    return QWindow::event(event);
}

void VideoSurface::resizeEvent(QResizeEvent* /*event*/) {
    arrange();
}

void VideoSurface::changeView() {
    // IdleCursor shows again what it has hidden.
    if (cursor().shape() != Qt::BlankCursor && focused().view().canPan()) {
        setCursor(Qt::OpenHandCursor);
    } else if (cursor().shape() != Qt::BlankCursor) {
        unsetCursor();
    }
    requestUpdate();
    Q_EMIT viewChanged();
}

RgbaImage VideoSurface::readPicture() {
    makeCurrent();
    return panes_[focus_]->readPicture();
}

}  // namespace verbcast

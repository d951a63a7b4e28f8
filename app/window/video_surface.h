// The picture: an OpenGL window that shows the newest frame of a mailbox, and what lies over it.
#pragma once

#include <QImage>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QPointF>
#include <QWindow>
#include <memory>
#include <optional>

#include "app/window/curtain.h"
#include "app/window/frame_mailbox.h"
#include "app/window/picture_view.h"
#include "core/stats/histogram.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Takes frames only when it paints, uploads them, drops the lease at once and reports them as shown after
/// the buffers were swapped. Belongs to the GUI thread.
///
/// A native window inside the viewer's window (QWidget::createWindowContainer) with a context of its own.
/// Not a QOpenGLWidget: that one composes the whole window anew for each frame, which with software OpenGL
/// costs more than the picture. Not a QOpenGLWindow: its update() waits 5 ms first, a third of a frame's
/// time.
class VideoSurface : public QWindow {
    Q_OBJECT
  public:
    /// Starts OpenGL, before there is a window to see. Throws Error{Display}.
    explicit VideoSurface(UploadPath upload);
    ~VideoSurface() override;

    /// Borrowed until replaced; may be null. A surface that failed tries again.
    void setMailbox(FrameMailbox* mailbox);
    /// A paused picture leaves new frames where they are, to be replaced by newer ones.
    void setPaused(bool paused);
    bool paused() const { return paused_; }

    const PictureView& view() const { return view_; }
    void fit();
    void oneToOne();

    /// Takes the newest frame and paints. Waits for the screen (vsync). Nothing happens while hidden.
    void paintNow();

    /// From now on there is a curtain over the picture, closed at first, and black around it.
    void setCurtain(Curtain curtain);
    /// Starts a fade, each step of which is painted when the window is ready for a frame. Only with a
    /// curtain.
    void moveCurtain(bool open);
    bool curtainOpening() const { return curtain_ && curtain_->opening(); }

    /// The point of the stream, in its pixels, under one of this window; nothing while there is no picture.
    std::optional<QPointF> streamPoint(const QPointF& position) const;

    /// Null images are not drawn. A message dims the picture.
    void setStagePanel(const QImage& panel);
    void setMessage(const QImage& message);
    void setToast(const QImage& toast);
    /// At the top right.
    void setWarning(const QImage& warning);

    bool hasPicture() const { return renderer_->hasPicture(); }
    /// The last picture at the stream's size. Only with hasPicture(). Waits for the GPU.
    RgbaImage readPicture();
    /// Sequence number of the last picture.
    std::uint64_t pictureSequence() const { return sequence_; }
    UploadReport uploadReport() const { return renderer_->uploadReport(); }
    QString colourNote() const;
    Percentiles uploadTimes() const { return uploadTimes_.percentiles(); }

  Q_SIGNALS:
    /// The frame is on the screen; its lease is empty.
    void frameShown(const ReceivedFrame& frame);
    void viewChanged();
    void fullscreenToggled();
    /// OpenGL cannot show the stream. Nothing is drawn from now on.
    void failed(std::exception_ptr failure);

  protected:
    bool event(QEvent* event) override;
    void exposeEvent(QExposeEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

  private:
    QSize pixelSize() const;
    void makeCurrent();
    void paint();
    void takeFrame();
    void paintPicture(double covered);
    void paintCurtain(double opacity);
    void paintOverlays();
    void reportShown();
    void changeView();

    FrameMailbox* mailbox_ = nullptr;
    bool paused_ = false;
    PictureView view_;
    std::unique_ptr<QOffscreenSurface> fallback_;  // what the context is current on while there is no window
    std::unique_ptr<QOpenGLContext> context_;
    std::unique_ptr<StreamRenderer> renderer_;
    bool broken_ = false;
    std::optional<ReceivedFrame> drawn_;  // drawn, not yet swapped
    std::uint64_t sequence_ = 0;
    LatencyHistogram uploadTimes_;
    std::optional<Curtain> curtain_;
    TimestampNs frameShownAt_ = 0;
    QImage stagePanel_;
    QImage message_;
    QImage toast_;
    QImage warning_;
    QPointF dragFrom_;
};

}  // namespace verbcast

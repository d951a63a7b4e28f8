// The pictures: an OpenGL window that shows the newest frames of mailboxes, and what lies over them.
#pragma once

#include <QImage>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QPointF>
#include <QSocketNotifier>
#include <QTimer>
#include <QWindow>
#include <memory>
#include <optional>
#include <vector>

#include "app/view/together_stream.h"
#include "app/window/desktop/swap_times.h"
#include "app/window/picture/curtain.h"
#include "app/window/picture/layout.h"
#include "app/window/picture/overlays.h"
#include "app/window/picture/picture_pane.h"
#include "render/picture_difference.h"
#include "render/picture_error.h"
#include "render/stereo_picture.h"

namespace verbcast {

/// Takes frames only when it paints, uploads them, drops the lease at once and reports them as shown after
/// the buffers were swapped. Belongs to the GUI thread.
///
/// Begins with one pane, which has the whole window: its picture is one draw. Several share the window as the
/// layout says; one of them has the focus. What concerns one picture and names no pane means that one.
///
/// A native window inside the viewer's window (QWidget::createWindowContainer) with a context of its own.
/// Not a QOpenGLWidget: that one composes the whole window again for each frame, which with software OpenGL
/// costs more than the picture. Not a QOpenGLWindow: its update() waits 5 ms first, a third of a frame's
/// time.
class VideoSurface : public QWindow {
    Q_OBJECT
  public:
    /// By how much a difference is amplified: one of a few codes is seen, too.
    static constexpr int kDifferenceGain = 8;

    /// Starts OpenGL, before there is a window to see. Throws Error{Display}.
    explicit VideoSurface(UploadPath upload);
    ~VideoSurface() override;

    std::size_t panes() const { return panes_.size(); }
    /// Behind the others. Throws Error{Display}.
    void addPane();
    /// Those behind it move up. The last one is as new afterwards. Throws Error{Display}.
    void removePane(std::size_t pane);
    /// Borrowed until replaced; may be null. A surface that failed tries again.
    void setMailbox(FrameMailbox* mailbox, std::size_t pane = 0);
    /// Borrowed; may be null: the first pane's frames, while its sender says when to show them.
    void setTogether(TogetherStream* together);

    /// The only pane shows a display of a wall from now on. Throws Error{Display}.
    void setTile(const WallDisplay& display);

    void setLayout(Layout layout);
    Layout pictureLayout() const { return layout_; }
    /// Of the stereo layouts: the second stream is the left eye's.
    void setSwapsEyes(bool swaps);
    bool swapsEyes() const { return swapsEyes_; }
    /// Whether the display has buffers for either eye, which Layout::PageFlip needs. They have to be asked
    /// for before the first window is made (requestStereo()).
    bool pageFlips() const { return context_->format().stereo(); }
    void setFocus(std::size_t pane);
    std::size_t focus() const { return focus_; }
    /// Whether the pane in focus has the window alone. The frames of the others are left where they are.
    void setSolo(bool solo);
    bool solo() const { return solo_; }
    /// A frame around the pane in focus, while there are several.
    void setFramed(bool framed);

    /// Of the free layout: where its panes are, the lowest first.
    void setPanes(std::vector<PanePlace> panes);
    const std::vector<PanePlace>& panePlaces() const { return free_; }
    /// In the free layout, of the pane in focus: over or under all others, and more or less (of 1) opaque.
    void raise();
    void lower();
    void changeOpacity(double by);
    /// Whether its own alpha counts, then or no longer.
    void toggleAlpha();

    /// Paused pictures leave new frames where they are, to be replaced by newer ones.
    void setPaused(bool paused);
    bool paused() const { return paused_; }

    const PicturePane& pane(std::size_t pane) const { return *panes_.at(pane); }
    const PicturePane& focused() const { return pane(focus_); }
    void fit();
    void oneToOne();

    /// Takes the newest frames and paints. Waits for the screen (vsync). Nothing happens while hidden.
    void paintNow();
    /// The same; of several streams, whose frames come at different times, no more often than the screen
    /// shows pictures.
    void paintSoon();

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
    void setMessage(const QImage& message, std::size_t pane = 0);
    void setLabel(const QImage& label, std::size_t pane);
    void setToast(const QImage& toast);
    /// At the top right.
    void setWarning(const QImage& warning);

    /// Of two pictures that are compared, so many frames of each wait for the same one of the other (default:
    /// 0).
    void setPairingDepth(std::size_t frames) { pairing_.setDepth(frames); }
    /// Whether the two that are compared show the same frame; nothing when no two are.
    std::optional<bool> comparesSameFrame() const;

    /// At the top of the window.
    void setComparison(const QImage& comparison);
    /// The pictures of a difference at their own size; nothing while one is missing or their sizes differ.
    /// Waits for the GPU.
    std::optional<PictureError> compare();

    bool hasPicture() const { return focused().hasPicture(); }
    /// The last picture at the stream's size. Only with hasPicture(). Waits for the GPU.
    RgbaImage readPicture();

  Q_SIGNALS:
    /// The frame is on the screen; its lease is empty.
    void frameShown(const ReceivedFrame& frame, std::size_t pane);
    void viewChanged();
    void fullscreenToggled();
    void panePressed(std::size_t pane);
    /// A menu is wanted at this point of the screen.
    void menuWanted(const QPoint& position);
    /// The pointer moved over a pane, or (nothing) beside them.
    void panePointed(std::optional<std::size_t> pane);
    /// OpenGL cannot show what that pane's stream sends: no frame of it is taken until it has a mailbox
    /// again.
    void paneFailed(std::size_t pane, std::exception_ptr failure);
    /// OpenGL cannot draw. Nothing is drawn from now on, until some pane has a mailbox again.
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
    std::optional<std::size_t> paneAt(const QPointF& position) const;
    std::vector<std::size_t> together(std::size_t pane) const;
    std::optional<QRect> divider() const;
    bool gripsDivider(const QPointF& position) const;
    void moveDivider(const QPointF& position);
    bool arrangesFreely() const;
    PanePlace& freePlace(std::size_t pane);
    void scalePane(std::size_t pane, const QPointF& fixed, double factor);
    bool takeFreePress(std::size_t pane, const QPointF& position, Qt::KeyboardModifiers modifiers);
    void dragFree(const QPointF& position);
    Qt::CursorShape cursorAt(const QPointF& position) const;
    std::optional<QPointF> oppositeCorner(std::size_t pane, const QPointF& position) const;
    void forgetPane(std::size_t pane);
    void makeCurrent();
    void arrange();
    void paint();
    bool showsTogether() const;
    void repaintTogether();
    void keepTogether();
    void followTogether();
    void paintAhead();
    void passTogether();
    void takeFrames();
    bool pairs() const;
    bool showIn(std::size_t pane, ReceivedFrame frame);
    bool takePair();
    bool showHeld();
    void paintPictures(double covered);
    bool compares() const;
    void paintDifference();
    /// One picture is made of two, for both eyes.
    bool isStereoPicture() const { return isStereo(layout_) && order_.size() > 1; }
    void paintStereo();
    void paintEyesInTurn();
    QPointF unsqueezed(const QPointF& target) const;
    void paintCurtain(double opacity);
    std::vector<PaneOverlay> paneOverlays() const;
    void paintOverImages();
    void reportShown();
    void changeView();

    UploadPath upload_;
    std::unique_ptr<QOffscreenSurface> fallback_;  // what the context is current on while there is no window
    std::unique_ptr<QOpenGLContext> context_;
    std::vector<std::unique_ptr<PicturePane>> panes_;  // at least one
    std::unique_ptr<PictureDifference> difference_;    // made when it is first asked for
    std::unique_ptr<StereoPicture> stereo_;            // the same
    Layout layout_ = Layout::Grid;
    bool swapsEyes_ = false;
    std::size_t focus_ = 0;
    bool solo_ = false;
    bool framed_ = false;
    std::vector<std::size_t> order_;  // of drawing; those that are shown
    FramePairing pairing_;            // of the two that are compared
    QTimer patience_;                 // of a frame that waits there
    std::vector<std::size_t> paired_;
    bool paused_ = false;
    bool broken_ = false;
    TimestampNs paintedAt_ = 0;
    QTimer pace_;
    TogetherStream* together_ = nullptr;
    std::unique_ptr<QSocketNotifier> togetherNews_;
    SwapTimes swapTimes_;
    std::optional<Curtain> curtain_;
    TimestampNs frameShownAt_ = 0;
    WindowOverlay overlay_;
    double divider_ = 0.5;
    enum class Drag { Nothing, Picture, Divider, Pane, Corner } drag_ = Drag::Nothing;
    QPointF dragFrom_;
    QPointF fixedCorner_;          // of a pane that is scaled, in device pixels
    std::vector<PanePlace> free_;  // the lowest first
    std::size_t dragged_ = 0;      // the pane
};

}  // namespace verbcast

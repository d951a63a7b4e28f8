// An OpenGL window that shows the newest frames of mailboxes, with overlays.
#pragma once

#include <QImage>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QPointF>
#include <QSocketNotifier>
#include <QTimer>
#include <QWindow>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "app/view/layout.h"
#include "app/window/desktop/swap_times.h"
#include "app/window/picture/curtain.h"
#include "app/window/picture/overlays.h"
#include "app/window/picture/picture_pane.h"
#include "core/sync/frame_lock_stream.h"
#include "render/picture_pair.h"

namespace verbcast {

/// Takes frames only when it paints, uploads them, drops their leases at once and reports them as shown after
/// the buffer swap. Belongs to the GUI thread.
///
/// Starts with one pane that fills the window: its picture is one draw. The layout arranges several panes;
/// one has the focus. Functions that concern one picture and take no pane mean the focused one.
///
/// A native window inside the viewer's window (QWidget::createWindowContainer) with its own context. Not a
/// QOpenGLWidget, which composes the whole window again for each frame: with software OpenGL that costs more
/// than the picture. Not a QOpenGLWindow, whose update() waits 5 ms first, a third of a frame time.
class VideoSurface : public QWindow {
    Q_OBJECT
  public:
    /// Amplifies a difference, so that even a few code values are visible.
    static constexpr int kDifferenceGain = 8;

    /// Starts OpenGL before the window is visible. Throws Error{Display}.
    explicit VideoSurface(UploadPath upload);
    ~VideoSurface() override;

    std::size_t panes() const { return panes_.size(); }
    /// Appends a pane. Throws Error{Display}.
    void addPane();
    /// Later panes move up. If it is the only pane, it is reset. Throws Error{Display}.
    void removePane(std::size_t pane);
    /// Borrowed until replaced; may be null. A surface that failed tries again.
    void setMailbox(FrameMailbox* mailbox, std::size_t pane = 0);
    /// Borrowed; may be null: provides the first pane's frames while its sender says when to show them.
    void setFrameLock(FrameLockStream* frameLock);

    /// The only pane shows a display of a wall from now on. Throws Error{Display}.
    void setTile(const ViewedTile& tile);

    void setLayout(const Layout& layout);
    const Layout& pictureLayout() const { return *layout_; }
    /// Of the stereo layouts: the second stream is for the left eye.
    void setSwapsEyes(bool swaps);
    bool swapsEyes() const { return swapsEyes_; }
    /// Whether the display has a buffer for each eye, which LayoutWay::PageFlip needs. Request them before
    /// the first window is made (requestStereo()).
    bool pageFlips() const { return context_->format().stereo(); }
    /// See memoryOfDrawingGpu().
    std::shared_ptr<const DeviceAllocator> gpuMemory(bool must);
    void setFocus(std::size_t pane);
    std::size_t focus() const { return focus_; }
    /// Whether the focused pane has the window to itself. Frames of the others are not taken.
    void setSolo(bool solo);
    bool solo() const { return solo_; }
    /// Draws a frame around the focused pane if there are several.
    void setFramed(bool framed);

    /// Places of the free layout, the lowest first.
    void setPanes(std::vector<PanePlace> panes);
    const std::vector<PanePlace>& panePlaces() const { return free_; }
    QSize pixelSize() const;  ///< device pixels
    /// In the free layout: move the focused pane above or below all others, or change its opacity (0 to 1).
    void raise();
    void lower();
    void changeOpacity(double by);
    /// Toggles whether the focused picture's own alpha counts.
    void toggleAlpha();

    /// Paused pictures take no frames; newer ones replace them in the mailbox.
    void setPaused(bool paused);
    bool paused() const { return paused_; }

    const PicturePane& pane(std::size_t pane) const { return *panes_.at(pane); }
    const PicturePane& focused() const { return pane(focus_); }
    void fit();
    void oneToOne();

    /// Takes the newest frames and paints. Waits for the screen (vsync). Does nothing while hidden.
    void paintNow();
    /// The same, but with several streams, whose frames come at different times, no more often than the
    /// screen refreshes.
    void paintSoon();
    /// Call when no further frame will come: as paintNow(), then waits a moment for the display to report it.
    void paintLast();

    /// Puts a curtain over the picture, closed at first, with black around it.
    void setCurtain(Curtain curtain);
    /// Starts a fade; each step is painted when the window is ready for a frame. Requires a curtain.
    void moveCurtain(bool open);
    bool curtainOpening() const { return curtain_ && curtain_->opening(); }

    /// The stream's point, in its pixels, under a point of this window; nullopt without a picture.
    std::optional<QPointF> streamPoint(const QPointF& position) const;

    /// Null images are not drawn. A message dims the picture.
    void setStagePanel(const QImage& panel);
    void setMessage(const QImage& message, std::size_t pane = 0);
    void setLabel(const QImage& label, std::size_t pane);
    void setToast(const QImage& toast);
    /// At the top right.
    void setWarning(const QImage& warning);
    /// At the bottom right of that picture. Painted with the next frame, if frames come.
    void setMeters(const QImage& meters, std::size_t pane);

    /// When comparing two pictures, the number of frames of each that wait for their match in the other
    /// (default: 0).
    void setPairingDepth(std::size_t frames) { pairing_.setDepth(frames); }
    /// Whether the two pictures being compared show the same frame; nullopt if none are.
    std::optional<bool> comparesSameFrame() const;

    /// Drawn over each picture from the picture itself: names of kOverlayNames. Not over a difference or a
    /// stereo picture.
    void setOverlays(std::vector<std::string> names);
    const std::vector<std::string>& overlays() const { return overlays_; }

    /// At the top of the window.
    void setComparison(const QImage& comparison);
    /// The two pictures of a difference, each at its own size; no pixels where one is missing. Requires two
    /// panes that are compared. Waits for the GPU.
    std::pair<RgbaImage, RgbaImage> readCompared();

    /// How the display shows this window, if it tells.
    std::optional<WindowStats> windowStats() const { return swapTimes_.stats(); }

    bool hasPicture() const { return focused().hasPicture(); }
    /// The last picture at the stream's size. Requires hasPicture(). Waits for the GPU.
    RgbaImage readPicture();

  Q_SIGNALS:
    /// The frame is on the screen as far as known; its lease is empty.
    void frameShown(const ReceivedFrame& frame, std::size_t pane);
    void viewChanged();
    void fullscreenToggled();
    void panePressed(std::size_t pane);
    /// A menu was requested at this point of the screen.
    void menuWanted(const QPoint& position);
    /// The pointer moved over a pane, or (nullopt) beside them.
    void panePointed(std::optional<std::size_t> pane);
    /// OpenGL cannot show that pane's stream: none of its frames is taken until it gets a new mailbox.
    void paneFailed(std::size_t pane, std::exception_ptr failure);
    /// OpenGL cannot draw. Nothing is drawn until some pane gets a new mailbox.
    void failed(std::exception_ptr failure);

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void exposeEvent(QExposeEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

  private:
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
    bool isFrameLocked() const;
    void repaintFrameLocked();
    void keepFrameLock();
    void followFrameLock();
    void paintAhead();
    void passFrameLock();
    void takeFrames();
    bool pairs() const;
    bool showIn(std::size_t pane, ReceivedFrame frame);
    bool takePair();
    bool showHeld();
    void paintPictures(double covered);
    bool compares() const;
    void paintDifference();
    /// True if one picture is made of two, one for each eye.
    bool isStereoPicture() const { return layout_->isStereo() && order_.size() > 1; }
    void paintStereo();
    void paintEyesInTurn();
    QPointF unsqueezed(const QPointF& target) const;
    void paintCurtain(double opacity);
    std::vector<PaneOverlay> paneOverlays() const;
    void paintOverImages();
    struct Drawn {
        std::size_t pane = 0;
        ReceivedFrame frame;  // its lease is empty
    };
    /// Given to the display, which reports later when it was shown.
    struct Swapped {
        std::uint64_t swap = 0;
        std::vector<Drawn> frames;
        std::optional<FrameLockStream::Swapped> frameLock;
    };
    void swap(bool frameLocked);
    std::vector<Drawn> takeDrawn();
    void hearOfSwaps();
    void followSwaps();
    void reportShown(std::vector<Drawn> frames, TimestampNs at);
    void forgetSwapped(std::size_t pane, bool removed);
    void changeView();

    UploadPath upload_;
    std::unique_ptr<QOffscreenSurface> fallback_;  // the context is current on this while there is no window
    std::unique_ptr<QOpenGLContext> context_;
    std::vector<std::unique_ptr<PicturePane>> panes_;  // at least one
    std::unique_ptr<PictureDifference> difference_;    // made on first use
    std::unique_ptr<StereoPicture> stereo_;            // likewise
    const Layout* layout_ = &layouts().front();
    bool swapsEyes_ = false;
    std::size_t focus_ = 0;
    bool solo_ = false;
    bool framed_ = false;
    std::vector<std::size_t> order_;  // drawing order of the panes shown
    FramePairing pairing_;            // of the two being compared
    QTimer patience_;                 // of a frame that waits there
    std::vector<std::size_t> paired_;
    bool paused_ = false;
    bool broken_ = false;
    bool wasExposed_ = false;  // since it was shown
    TimestampNs paintedAt_ = 0;
    QTimer pace_;
    FrameLockStream* frameLock_ = nullptr;
    std::unique_ptr<QSocketNotifier> frameLockNews_;
    SwapTimes swapTimes_;
    std::deque<Swapped> swapped_;  // oldest first
    std::unique_ptr<QSocketNotifier> swapNews_;
    std::optional<Curtain> curtain_;
    TimestampNs frameShownAt_ = 0;
    WindowOverlay overlay_;
    std::size_t metersPane_ = 0;
    std::vector<std::string> overlays_;
    double divider_ = 0.5;
    enum class Drag { Nothing, Picture, Divider, Pane, Corner } drag_ = Drag::Nothing;
    QPointF dragFrom_;
    QPointF fixedCorner_;          // of a pane being scaled, in device pixels
    std::vector<PanePlace> free_;  // lowest first
    std::size_t dragged_ = 0;      // pane number
};

}  // namespace verbcast

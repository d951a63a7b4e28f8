// A wall to look at and to arrange: its displays over the picture that they share.
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "app/wall/wall.h"

namespace verbcast {

/// Displays are chosen with a click or Page Up and Page Down, moved by dragging or with arrow keys (ten
/// pixels with Shift), and made larger or smaller by their corners. Edges snap to those of others and of the
/// canvas. Belongs to the GUI thread.
class WallCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit WallCanvas(QWidget* parent = nullptr);

    /// Borrowed; to be set again after it has changed.
    void setWall(const Wall* wall);
    /// Fills the canvas; a null one: none.
    void setPicture(const QImage& picture);
    /// Nothing: none.
    void choose(std::optional<std::size_t> display);
    std::optional<std::size_t> chosen() const { return chosen_; }

    QSize sizeHint() const override;

  Q_SIGNALS:
    void displayChosen();
    /// The chosen display is wanted there.
    void rectangleWanted(const verbcast::FrameRect& rectangle);
    void removeWanted();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QRectF canvasArea() const;
    double scale() const;
    QRectF areaOf(const FrameRect& rect) const;
    void paintDisplay(QPainter& painter, const WallDisplay& display, bool isChosen) const;
    void paintSources(QPainter& painter) const;
    std::optional<std::size_t> displayAt(const QPointF& position) const;
    /// Which corner of the chosen display is there: -1, 0 or 1 each way.
    QPoint cornerAt(const QPointF& position) const;
    void want(QRect rectangle);
    void chooseNext(bool next);
    int snapped(int edge, bool across) const;
    QRect moved(const QPoint& by) const;
    QRect resized(const QPoint& by) const;

    const Wall* wall_ = nullptr;
    QImage picture_;
    std::optional<std::size_t> chosen_;
    struct Drag {
        QPointF from;
        QRect rectangle;  // at the beginning
        QPoint corner;    // 0, 0: all of it is moved
    };
    std::optional<Drag> drag_;
};

}  // namespace verbcast

// Shows and arranges a wall's displays over the picture that they share.
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "app/wall/wall.h"

namespace verbcast {

/// Displays are selected with a click or Page Up and Page Down, moved by dragging or with the arrow keys (ten
/// pixels with Shift), and resized by their corners. Edges snap to those of other displays and of the canvas.
/// Belongs to the GUI thread.
class WallCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit WallCanvas(QWidget* parent = nullptr);

    /// Borrowed; set it again after changing it.
    void setWall(const Wall* wall);
    /// Lies on the canvas as the wall says; a null picture: none.
    void setPicture(const QImage& picture);
    /// nullopt: none.
    void choose(std::optional<std::size_t> display);
    std::optional<std::size_t> chosen() const { return chosen_; }

    QSize sizeHint() const override;

  Q_SIGNALS:
    void displayChosen();
    /// The user moves or resizes the chosen display to this rectangle.
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
    QRectF pictureArea(const QRectF& canvas) const;
    QRectF areaOf(const FrameRect& rect) const;
    void paintDisplay(QPainter& painter, const WallDisplay& display, bool isChosen) const;
    void paintSources(QPainter& painter) const;
    std::optional<std::size_t> displayAt(const QPointF& position) const;
    /// The corner of the chosen display at this position: -1, 0 or 1 each way.
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
        QRect rectangle;  // when dragging began
        QPoint corner;    // 0, 0: moves the display as a whole
    };
    std::optional<Drag> drag_;
};

}  // namespace verbcast

// What is painted over the pictures: notes, labels, panels, and the frame around the focused one.
#pragma once

#include <QImage>
#include <QRect>
#include <QSize>
#include <vector>

class QPainter;

namespace verbcast {

/// Null images are not drawn.
struct PaneOverlay {
    QRect area;      ///< of the picture, in device pixels
    QImage label;    ///< at its bottom left
    QImage message;  ///< in its middle, over the dimmed picture
    bool framed = false;

    bool any() const { return framed || !label.isNull() || !message.isNull(); }
};

struct WindowOverlay {
    QRect divider;      ///< the line of a wipe, in device pixels
    QRect panelArea;    ///< picture that the panel is about, in device pixels
    QImage stagePanel;  ///< at that picture's top left
    QImage comparison;  ///< in the middle of the top
    QImage toast;       ///< at the bottom
    QImage warning;     ///< at the top right
    QRect metersArea;   ///< picture that the meters are about, in device pixels
    QImage meters;      ///< at that picture's bottom right

    bool any() const {
        return !divider.isNull() || !stagePanel.isNull() || !comparison.isNull() || !toast.isNull() ||
               !warning.isNull() || !meters.isNull();
    }
};

/// `panes` are in drawing order: dimming one does not affect those above it. `size`: of the window, in
/// device-independent pixels, the painter's unit.
void paintOverlays(QPainter& painter, const QSize& size, const std::vector<PaneOverlay>& panes,
                   const WindowOverlay& window);

}  // namespace verbcast

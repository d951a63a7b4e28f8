// Finds what is selected on the screen, again and again: monitors change their mode, windows move and grow.
#pragma once

#include <optional>

#include "capture/screen/rectangle.h"
#include "capture/screen/screen_selection.h"
#include "capture/screen/x_display.h"
#include "core/video/pixel_format.h"

namespace verbcast {

/// Where a picture can be read now.
struct ScreenPlace {
    xcb_drawable_t drawable = XCB_NONE;
    Rectangle area;    ///< the picture, in the root window's coordinates; may leave the screen
    Rectangle origin;  ///< the drawable's upper left corner there; its size does not matter
    Rectangle
        visible;  ///< the part of the picture that is on the screen, from the picture's corner; not empty
    PixelFormat pixelFormat = PixelFormat::bgra;
    int border = 0;  ///< of a window: pixels around it that are not part of the picture
    friend bool operator==(const ScreenPlace&, const ScreenPlace&) = default;
};

/// Outlived by its display.
class ScreenArea {
  public:
    ScreenArea(const XDisplay& display, ScreenSelection selection);

    const ScreenSelection& selection() const { return selection_; }
    /// Its place can change without an event that we would get.
    bool movesSilently() const { return std::holds_alternative<OneWindow>(selection_); }

    /// Asks the server. Nothing: there is no picture for now, as of a window that is minimised or smaller
    /// than a stream can be. Throws Error{Usage} when the monitor, window or part does not exist (any more)
    /// or its size or pixels cannot be sent; Error{Display} when the server is gone.
    std::optional<ScreenPlace> locate() const;

  private:
    std::optional<ScreenPlace> onRoot(const Rectangle& area) const;
    std::optional<ScreenPlace> locateMonitor(const NamedMonitor& wanted) const;
    std::optional<ScreenPlace> locateWindow(const OneWindow& window) const;
    std::optional<ScreenPlace> locatePart(const FixedPart& fixed) const;

    const XDisplay& display_;
    ScreenSelection selection_;
    PixelFormat rootFormat_;
};

}  // namespace verbcast

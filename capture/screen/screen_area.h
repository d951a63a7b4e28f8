// Locates the selection on the screen repeatedly: monitors change modes, windows move and grow.
#pragma once

#include <optional>

#include "capture/screen/rectangle.h"
#include "capture/screen/screen_selection.h"
#include "capture/screen/x_display.h"
#include "core/video/pixel_format.h"

namespace verbcast {

/// Where to read a picture now.
struct ScreenPlace {
    xcb_drawable_t drawable = XCB_NONE;
    Rectangle area;    ///< the picture in the root window's coordinates; may leave the screen
    Rectangle origin;  ///< the drawable's upper left corner, likewise; its size does not matter
    Rectangle
        visible;  ///< the part of the picture that is on the screen, from the picture's corner; not empty
    PixelFormat pixelFormat = PixelFormat::bgra;
    int border = 0;  ///< of a window: pixels around it, outside the picture
    friend bool operator==(const ScreenPlace&, const ScreenPlace&) = default;
};

/// The display must outlive it.
class ScreenArea {
  public:
    ScreenArea(const XDisplay& display, ScreenSelection selection);

    const ScreenSelection& selection() const { return selection_; }
    /// Whether it can move without an event to us.
    bool movesSilently() const { return std::holds_alternative<OneWindow>(selection_); }

    /// Asks the server. Returns nullopt if there is no picture for now: the window is minimised, or too small
    /// for a stream. Throws Error{Usage} if the monitor, window or part does not exist (any more) or its size
    /// or pixels cannot be sent; Error{Display} if the server is gone.
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

// Gives a window's own pixels, even if other windows cover it or it leaves the screen (XComposite).
#pragma once

#include <xcb/composite.h>

#include "capture/screen/x_display.h"

namespace verbcast {

/// Makes the server draw the window off-screen, and show it as before. A compositing manager does so already.
/// Used by one thread. The display must outlive it.
class WindowPixels {
  public:
    /// Does nothing if the server lacks the extension.
    WindowPixels(const XDisplay& display, xcb_window_t window);
    ~WindowPixels();
    WindowPixels(const WindowPixels&) = delete;
    WindowPixels& operator=(const WindowPixels&) = delete;

    /// Where its pixels are, border included; XCB_NONE if they are on the screen only. Takes one round trip
    /// after forget(), else none.
    xcb_pixmap_t pixmap();
    /// Whether pixmap() has returned them: then the screen does not affect them.
    bool areApart() const { return pixmap_ != XCB_NONE; }
    /// Call when the window may have changed its size or been hidden: its pixels are elsewhere.
    void forget();

  private:
    const XDisplay& display_;
    xcb_window_t window_;
    bool available_ = false;
    xcb_pixmap_t pixmap_ = XCB_NONE;
};

}  // namespace verbcast

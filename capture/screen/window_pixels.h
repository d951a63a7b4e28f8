// A window's own picture, also where other windows cover it or it leaves the screen (XComposite).
#pragma once

#include <xcb/composite.h>

#include "capture/screen/x_display.h"

namespace verbcast {

/// Has the server draw the window apart from the screen, which then shows it as before. Where a compositing
/// manager runs, it does so already. Used by one thread; outlived by its display.
class WindowPixels {
  public:
    /// Does nothing for a server without the extension.
    WindowPixels(const XDisplay& display, xcb_window_t window);
    ~WindowPixels();
    WindowPixels(const WindowPixels&) = delete;
    WindowPixels& operator=(const WindowPixels&) = delete;

    /// Where its pixels are, border included; XCB_NONE when they are on the screen only. One round trip after
    /// forget(), none else.
    xcb_pixmap_t pixmap();
    /// pixmap() has given them: what happens on the screen does not change them.
    bool areApart() const { return pixmap_ != XCB_NONE; }
    /// The window has, or may have, changed its size or been hidden: its pixels are elsewhere.
    void forget();

  private:
    const XDisplay& display_;
    xcb_window_t window_;
    bool available_ = false;
    xcb_pixmap_t pixmap_ = XCB_NONE;
};

}  // namespace verbcast

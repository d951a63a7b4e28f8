// Our own devices, used on one window only.
#pragma once

#include "capture/screen/master_devices.h"
#include "capture/screen/x_display.h"

namespace verbcast {

class WindowDevices {
  public:
    /// `devices` belongs to an OwnMasterPair of this process or another.
    WindowDevices(const MasterPair& devices, xcb_window_t window);

    /// On this connection XTEST and pointer queries use these devices.
    const XDisplay& display() const { return display_; }

    /// Throws Error{Display} if their owner has removed them: the server would use its user's devices
    /// instead.
    void requireThere() const;
    /// Directs keys to the window's program from now on. False: the window is not shown.
    bool focus() const;
    /// Whether the window, its frame or another window of its program is under the pointer, so that a button
    /// reaches nobody else.
    bool pointsAtProgram() const;

  private:
    struct Ancestry {
        xcb_window_t outermost;  // among the program's own windows
        xcb_window_t frame;      // child of the root: the same, or the window manager's
    };
    Ancestry ancestry() const;
    bool isOfTheProgram(xcb_window_t window) const;

    XDisplay display_;
    MasterPair devices_;
    xcb_window_t window_;
};

}  // namespace verbcast

// Devices of our own that are used on one window alone.
#pragma once

#include "capture/screen/master_devices.h"
#include "capture/screen/x_display.h"

namespace verbcast {

class WindowDevices {
  public:
    /// The devices are OwnMasterPair's, of this process or another.
    WindowDevices(const MasterPair& devices, xcb_window_t window);

    /// XTEST, and questions for the pointer, mean these devices here.
    const XDisplay& display() const { return display_; }

    /// Throws Error{Display} when their owner has taken them away: the server would use its user's own
    /// instead.
    void requireThere() const;
    /// Keys go to the window's program from now on. False: the window is not shown.
    bool focus() const;
    /// The window, its frame or another window of its program is under the pointer, so that a button reaches
    /// nobody else.
    bool pointsAtProgram() const;

  private:
    struct Ancestry {
        xcb_window_t outermost;  // of the program's own
        xcb_window_t frame;      // child of the root: the same, or the window manager's
    };
    Ancestry ancestry() const;
    bool isOfTheProgram(xcb_window_t window) const;

    XDisplay display_;
    MasterPair devices_;
    xcb_window_t window_;
};

}  // namespace verbcast

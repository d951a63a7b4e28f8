// When a window's picture becomes white on the display.
#pragma once

#include <sys/types.h>
#include <xcb/damage.h>

#include <vector>

#include "capture/screen/x_display.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// Looks at the pixel in the middle of a program's window each time that something is drawn there (XDamage).
/// A flash that is over before the look is missed. Used by one thread.
class FlashWatch {
  public:
    /// The program's largest window is watched as soon as it is there. The display must outlive this. Throws
    /// Error{Display} if the server lacks XFixes or DAMAGE.
    FlashWatch(const XDisplay& display, pid_t program);
    ~FlashWatch();
    FlashWatch(const FlashWatch&) = delete;
    FlashWatch& operator=(const FlashWatch&) = delete;

    /// Appends when the pixel has turned from dark to white, as the server's clock says: to the millisecond.
    /// Call when the display's descriptor is readable. Throws Error{Display} if the server is gone.
    void look(std::vector<TimestampNs>& flashes);
    bool hasWindow() const { return window_ != XCB_NONE; }
    /// Of the screen in Hz; 0: the server does not tell.
    double refreshRate() const;

    /// How far a flash's time may be off.
    static constexpr TimestampNs kResolution = 500'000;

  private:
    struct Drawn {
        TimestampNs at = 0;
        std::int16_t x = 0, y = 0;  // of the middle
    };

    bool takeEvents();
    void note(const xcb_generic_event_t& event);
    void findWindow();
    void considerWindow(xcb_window_t window, int& largest, xcb_window_t& found) const;
    bool isWhite(const Drawn& drawn) const;

    const XDisplay& display_;
    const pid_t program_;
    xcb_atom_t processId_;
    std::uint8_t damageEvents_;  // the first event number
    xcb_window_t window_ = XCB_NONE;
    xcb_damage_damage_t damage_ = XCB_NONE;
    bool windowsChanged_ = true;
    bool drawnSinceLook_ = false;
    Drawn drawn_;
    bool white_ = false;
};

}  // namespace verbcast

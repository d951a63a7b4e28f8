// Whether the screen looks different than before: drawing (XDamage), the pointer, windows and monitors.
#pragma once

#include <xcb/damage.h>
#include <xcb/xfixes.h>

#include <memory>
#include <vector>

#include "capture/screen/rectangle.h"
#include "capture/screen/screen_selection.h"
#include "capture/screen/x_display.h"

namespace verbcast {

/// What happened since the look before.
struct ScreenNews {
    /// Where something was drawn inside the area, in the root's coordinates.
    std::vector<Rectangle> drawn{};
    bool layout = false;       ///< places or sizes may have changed
    bool cursorShape = false;  ///< the pointer looks different
    int pointerX = 0, pointerY = 0;
    bool anything = false;  ///< events came, for the area or not
};

/// Outlived by its display.
class ScreenChanges {
  public:
    /// Throws Error{Display} when the server lacks XFixes or DAMAGE.
    ScreenChanges(const XDisplay& display, const ScreenSelection& selection);
    ~ScreenChanges();
    ScreenChanges(const ScreenChanges&) = delete;
    ScreenChanges& operator=(const ScreenChanges&) = delete;

    /// One round trip. What is drawn from now on is told by the next look, so read the picture afterwards.
    /// `area`: of the picture, in the root's coordinates. Unless it is `onScreen`, only what was drawn in the
    /// selected window matters.
    ScreenNews look(const Rectangle& area, bool onScreen);

    /// After the picture was read: what was drawn inside the area between the look and the reading is in the
    /// picture already, and what was drawn since is not. This tells both; the next look tells them again. A
    /// round trip only when there was something.
    std::vector<Rectangle> drawnSinceLook(const Rectangle& area, bool onScreen);

    /// Takes what the server has sent since the look. True: there was something, so look again before
    /// sleeping on the display's descriptor.
    bool somethingCame();

  private:
    void drainEvents();
    XReply<xcb_xfixes_fetch_region_reply_t> take(xcb_damage_damage_t damage, bool& drawn);
    void takeDrawn(const Rectangle& area, bool onScreen);
    void note(const xcb_generic_event_t& event);

    const XDisplay& display_;
    xcb_window_t window_ = XCB_NONE;  // besides the root; none unless one window is selected
    xcb_damage_damage_t rootDamage_;
    xcb_damage_damage_t windowDamage_ = XCB_NONE;
    xcb_xfixes_region_t region_;
    std::uint8_t damageEvents_, fixesEvents_;     // the extensions' first event numbers
    bool rootDrawn_ = true, windowDrawn_ = true;  // since the damage was last taken
    ScreenNews news_;                             // for the next look
};

}  // namespace verbcast

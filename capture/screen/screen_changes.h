// Tells what changed on the screen: drawing (XDamage), the pointer, windows and monitors.
#pragma once

#include <xcb/damage.h>
#include <xcb/xfixes.h>

#include <vector>

#include "capture/screen/rectangle.h"
#include "capture/screen/screen_selection.h"
#include "capture/screen/x_display.h"

namespace verbcast {

/// Tells the server which versions of XFixes and DAMAGE we speak: it serves only clients that have. Throws
/// Error{Display} if it lacks one.
void negotiateDamage(const XDisplay& display);

/// What happened since the last look.
struct ScreenNews {
    /// Where something was drawn inside the area, in the root's coordinates.
    std::vector<Rectangle> drawn{};
    bool layout = false;       ///< places or sizes may have changed
    bool cursorShape = false;  ///< the pointer looks different
    int pointerX = 0, pointerY = 0;
    bool anything = false;  ///< events came, whether for the area or not
};

/// The display must outlive it.
class ScreenChanges {
  public:
    /// Throws Error{Display} if the server lacks XFixes or DAMAGE.
    ScreenChanges(const XDisplay& display, const ScreenSelection& selection);
    ~ScreenChanges();
    ScreenChanges(const ScreenChanges&) = delete;
    ScreenChanges& operator=(const ScreenChanges&) = delete;

    /// Takes one round trip. The next look reports what is drawn from now on, so read the picture after this
    /// one. `area` is the picture's, in the root's coordinates. Unless it is `onScreen`, only drawing in the
    /// selected window counts.
    ScreenNews look(const Rectangle& area, bool onScreen);

    /// Call after reading the picture. What was drawn inside the area between the look and the read is in the
    /// picture already; what was drawn later is not. Returns both, and so does the next look. Takes a round
    /// trip only if something was drawn.
    std::vector<Rectangle> drawnSinceLook(const Rectangle& area, bool onScreen);

    /// Takes what the server has sent since the look. True: there was something, so look again before you
    /// sleep on the display's descriptor.
    bool somethingCame();

  private:
    void drainEvents();
    XReply<xcb_xfixes_fetch_region_reply_t> take(xcb_damage_damage_t damage, bool& drawn);
    void takeDrawn(const Rectangle& area, bool onScreen);
    void note(const xcb_generic_event_t& event);

    const XDisplay& display_;
    xcb_window_t window_ = XCB_NONE;  // besides the root; none unless a window is selected
    xcb_damage_damage_t rootDamage_;
    xcb_damage_damage_t windowDamage_ = XCB_NONE;
    xcb_xfixes_region_t region_;
    std::uint8_t damageEvents_, fixesEvents_;     // the extensions' first event numbers
    bool rootDrawn_ = true, windowDrawn_ = true;  // since the damage was last taken
    ScreenNews news_;                             // for the next look
};

}  // namespace verbcast

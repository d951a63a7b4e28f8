// Keys as a program with Xlib sees them: its own reading of the server's keyboard map.
#pragma once

#include <xcb/xcb.h>

namespace verbcast::testing {

/// What Xlib makes of a key event, by the map that the server of $DISPLAY has now.
xcb_keysym_t keysymOf(const xcb_key_press_event_t& event);

/// Makes one of the layouts of $DISPLAY's keyboard the active one, counted from 0, as a desktop's indicator
/// does.
void lockLayout(unsigned layout);

}  // namespace verbcast::testing

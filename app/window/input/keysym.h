// Translates keys to X11 keysyms.
#pragma once

#include <cstdint>

class QKeyEvent;

namespace verbcast {

/// Returns the keysym (xkbcommon-keysyms.h) of a key event, 0 if it has none. With `nativeIsKeysym`, as on
/// X11 and Wayland, it is QKeyEvent::nativeVirtualKey(). Otherwise it is derived from the event's text and
/// Qt's key code.
std::uint32_t x11Keysym(const QKeyEvent& event, bool nativeIsKeysym);

/// Whether this platform's key events carry keysyms.
bool platformGivesKeysyms();

}  // namespace verbcast

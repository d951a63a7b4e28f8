// Keys as X11 names them.
#pragma once

#include <cstdint>

class QKeyEvent;

namespace verbcast {

inline constexpr std::uint32_t kKeysymControlRight = 0xffe4;

/// The keysym (X11/keysymdef.h) of a key event, 0 when the key has none. With `nativeIsKeysym`
/// QKeyEvent::nativeVirtualKey() is one: on X11 and Wayland. Elsewhere it is found from the event's text and
/// Qt's name of the key; characters beyond Latin-1 are 0x01000000 + code point.
std::uint32_t x11Keysym(const QKeyEvent& event, bool nativeIsKeysym);

/// Whether this application's platform gives keysyms in its key events.
bool platformGivesKeysyms();

}  // namespace verbcast

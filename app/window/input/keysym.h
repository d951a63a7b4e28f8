// Translates keys to X11 keysyms.
#pragma once

#include <cstdint>

class QKeyEvent;

namespace verbcast {

inline constexpr std::uint32_t kKeysymControlRight = 0xffe4;

/// Returns the keysym (X11/keysymdef.h) of a key event, 0 if it has none. With `nativeIsKeysym`, as on X11
/// and Wayland, it is QKeyEvent::nativeVirtualKey(). Otherwise it is derived from the event's text and Qt's
/// key code; characters beyond Latin-1 are 0x01000000 + code point.
std::uint32_t x11Keysym(const QKeyEvent& event, bool nativeIsKeysym);

/// Whether this platform's key events carry keysyms.
bool platformGivesKeysyms();

}  // namespace verbcast

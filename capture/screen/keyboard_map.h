// Which key of the X server gives a keysym; keys without a meaning are lent to keysyms that have no key.
#pragma once

#include <xcb/xcb.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "capture/screen/x_display.h"

namespace verbcast {

/// How a keysym is typed.
struct Keystroke {
    xcb_keycode_t code = 0;
    bool shifted = false;       ///< with Shift
    bool shiftMatters = false;  ///< the key gives something else with the other state of Shift
    bool alphabetic = false;    ///< Lock has the effect of Shift
};

/// True for letters, digits and signs; false for keys that are pressed for what they do (Tab, F1, Control).
bool isCharacter(xcb_keysym_t keysym);

/// Outlived by its display.
class KeyboardMap {
  public:
    explicit KeyboardMap(const XDisplay& display);
    /// Takes back the keys that were lent.
    ~KeyboardMap();
    KeyboardMap(const KeyboardMap&) = delete;
    KeyboardMap& operator=(const KeyboardMap&) = delete;

    /// Reads the server's map again: after a MappingNotify.
    void refresh();

    /// `group` is the layout in use, from 0. Nothing: no key gives it with Shift or without.
    std::optional<Keystroke> find(xcb_keysym_t keysym, unsigned group) const;

    /// Makes a key that has no meaning give the keysym, or one that was lent longest ago and is not held.
    /// Programs learn of it before they get the key. Nothing: the keyboard has no such key.
    std::optional<Keystroke> lend(xcb_keysym_t keysym, const std::function<bool(xcb_keycode_t)>& isHeld);

    /// Keys that are Shift; the first is the one to press.
    const std::vector<xcb_keycode_t>& shiftKeys() const { return shiftKeys_; }

  private:
    xcb_keysym_t symbol(unsigned code, unsigned column) const;
    bool isUnused(unsigned code) const;
    void assign(xcb_keycode_t code, xcb_keysym_t keysym);

    const XDisplay& display_;
    unsigned firstCode_, codeCount_;
    unsigned columns_ = 0;
    std::vector<xcb_keysym_t> symbols_;  // columns_ for each code
    std::vector<xcb_keycode_t> shiftKeys_;
    std::deque<xcb_keycode_t> lent_;  // oldest first
};

}  // namespace verbcast

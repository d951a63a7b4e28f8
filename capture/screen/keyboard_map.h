// Finds the X server's key for a keysym; keysyms without a key borrow an unused one.
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
    bool shiftMatters = false;  ///< the other state of Shift gives something else
    bool alphabetic = false;    ///< Lock acts like Shift
};

/// True for letters, digits and signs; false for keys with a function (Tab, F1, Control).
bool isCharacter(xcb_keysym_t keysym);

/// The display must outlive it.
class KeyboardMap {
  public:
    explicit KeyboardMap(const XDisplay& display);
    /// Takes back the lent keys.
    ~KeyboardMap();
    KeyboardMap(const KeyboardMap&) = delete;
    KeyboardMap& operator=(const KeyboardMap&) = delete;

    /// Rereads the server's map. Call after a MappingNotify.
    void refresh();

    /// `group` is the active layout, from 0. Returns nullopt if no key gives it, with or without Shift.
    std::optional<Keystroke> find(xcb_keysym_t keysym, unsigned group) const;

    /// Lends the keysym an unused key, or the one lent longest ago that is not held. Programs learn of it
    /// before they get the key. Returns nullopt if the keyboard has no such key.
    std::optional<Keystroke> lend(xcb_keysym_t keysym, const std::function<bool(xcb_keycode_t)>& isHeld);

    /// The Shift keys; the first is the one to press.
    const std::vector<xcb_keycode_t>& shiftKeys() const { return shiftKeys_; }

  private:
    xcb_keysym_t symbol(unsigned code, unsigned column) const;
    bool isUnused(unsigned code) const;
    void assign(xcb_keycode_t code, xcb_keysym_t keysym);

    const XDisplay& display_;
    unsigned firstCode_, codeCount_;
    unsigned columns_ = 0;
    std::vector<xcb_keysym_t> symbols_;  // columns_ per code
    std::vector<xcb_keycode_t> shiftKeys_;
    std::deque<xcb_keycode_t> lent_;  // oldest first
};

}  // namespace verbcast

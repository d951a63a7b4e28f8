// Finds the X server's key for a keysym; keysyms without a key borrow an unused one.
#pragma once

#include <xcb/xcb.h>
#include <xkbcommon/xkbcommon.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "capture/screen/x_display.h"

namespace verbcast {

/// How a keysym is typed.
struct Keystroke {
    xcb_keycode_t code = 0;
    bool otherShift = false;  ///< not with Shift as it is, but with its other state
};

/// False for keys with a function (Tab, F1, Control), whose keysym may be meant together with Shift. True for
/// letters, dead keys, digits, signs and the keypad.
bool isCharacter(xcb_keysym_t keysym);

/// Makes the key give the keysym in each layout, with and without Shift; XCB_NO_SYMBOL: nothing.
void assignKey(const XDisplay& display, xcb_keycode_t code, xcb_keysym_t keysym);

/// The map of the core keyboard. The display must outlive it, and takes no part in XKB: the server sends it
/// MappingNotify.
class KeyboardMap {
  public:
    /// Throws Error{Display} if the server has no XKB.
    explicit KeyboardMap(const XDisplay& display);
    /// Takes back the lent keys.
    ~KeyboardMap();
    KeyboardMap(const KeyboardMap&) = delete;
    KeyboardMap& operator=(const KeyboardMap&) = delete;

    /// Rereads the server's map if it has changed. Takes the display's events.
    void refresh();

    /// `state` has modifiers and layout as in key events. Returns nullopt if no key of that layout gives it,
    /// with or without Shift.
    std::optional<Keystroke> find(xcb_keysym_t keysym, std::uint32_t state) const;

    /// An unused key, or the one lent longest ago, that is not held. Returns nullopt if the keyboard has no
    /// such key.
    std::optional<xcb_keycode_t> spareKey(const std::function<bool(xcb_keycode_t)>& isHeld) const;
    /// Lends it. Programs learn of it before they get the key.
    void lend(xcb_keycode_t spare, xcb_keysym_t keysym);

  private:
    struct Unref {
        void operator()(xkb_context* context) const { xkb_context_unref(context); }
        void operator()(xkb_keymap* keymap) const { xkb_keymap_unref(keymap); }
        void operator()(xkb_state* state) const { xkb_state_unref(state); }
    };

    void read();
    std::optional<xcb_keycode_t> keyWith(std::uint32_t modifiers, std::uint32_t layout,
                                         xcb_keysym_t keysym) const;

    const XDisplay& display_;
    const XDisplay reader_;  // takes part in XKB
    std::unique_ptr<xkb_context, Unref> context_;
    std::unique_ptr<xkb_keymap, Unref> keymap_;
    std::deque<xcb_keycode_t> lent_;  // oldest first
};

}  // namespace verbcast

#include "capture/screen/keyboard_map.h"

#include <fmt/format.h>
#include <xkbcommon/xkbcommon-x11.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// Of a key event's state.
constexpr std::uint32_t kModifiers = 0xFF, kLayoutShift = 13, kLayoutMask = 3;

/// A character's keysym, of the two that some have.
xkb_keysym_t unique(xkb_keysym_t keysym) {
    const bool isUnicode = keysym >> 24 == 1;
    const xkb_keysym_t named = isUnicode ? xkb_utf32_to_keysym(xkb_keysym_to_utf32(keysym)) : keysym;
    return named != XKB_KEY_NoSymbol ? named : keysym;
}

}  // namespace

bool isCharacter(xcb_keysym_t keysym) {
    const std::uint32_t character = xkb_keysym_to_utf32(keysym);
    const bool isKeypad = keysym >= XKB_KEY_KP_Space && keysym <= XKB_KEY_KP_Equal;
    const bool isDead = keysym >= XKB_KEY_dead_grave && keysym <= XKB_KEY_dead_longsolidusoverlay;
    return (character >= ' ' && character != 0x7F) || isKeypad || isDead;
}

void assignKey(const XDisplay& display, xcb_keycode_t code, xcb_keysym_t keysym) {
    const std::array<xcb_keysym_t, 2> levels{keysym, keysym};
    xcb_change_keyboard_mapping(display.get(), 1, code, levels.size(), levels.data());
}

KeyboardMap::KeyboardMap(const XDisplay& display)
    : display_(display),
      context_(xkb_context_new(static_cast<xkb_context_flags>(XKB_CONTEXT_NO_DEFAULT_INCLUDES |
                                                              XKB_CONTEXT_NO_ENVIRONMENT_NAMES))) {
    xkb_context_set_log_level(context_.get(), XKB_LOG_LEVEL_CRITICAL);
    if (xkb_x11_setup_xkb_extension(reader_.get(), XKB_X11_MIN_MAJOR_XKB_VERSION,
                                    XKB_X11_MIN_MINOR_XKB_VERSION, XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS,
                                    nullptr, nullptr, nullptr, nullptr) != 0) {
        read();
    }
    if (!keymap_) {
        reader_.requireAlive();
        throw Error(ErrorKind::Display,
                    fmt::format("the X server {} takes no input: it does not tell its keyboard (XKEYBOARD)",
                                reader_.name()),
                    "leave --allow-input out");
    }
}

KeyboardMap::~KeyboardMap() {
    for (const xcb_keycode_t code : lent_) {
        assignKey(display_, code, XCB_NO_SYMBOL);
    }
    display_.synchronise();
}

void KeyboardMap::read() {
    xkb_keymap* const keymap = xkb_x11_keymap_new_from_device(
        context_.get(), reader_.get(), xkb_x11_get_core_keyboard_device_id(reader_.get()),
        XKB_KEYMAP_COMPILE_NO_FLAGS);
    if (keymap != nullptr) {
        keymap_.reset(keymap);
    }
}

void KeyboardMap::refresh() {
    bool changed = false;
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(display_.get())}) {
        changed |= (event->response_type & 0x7F) == XCB_MAPPING_NOTIFY;
    }
    if (changed) {
        read();
        reader_.requireAlive();
    }
}

std::optional<xcb_keycode_t> KeyboardMap::keyWith(std::uint32_t modifiers, std::uint32_t layout,
                                                  xcb_keysym_t keysym) const {
    const std::unique_ptr<xkb_state, Unref> state(xkb_state_new(keymap_.get()));
    xkb_state_update_mask(state.get(), modifiers, 0, 0, 0, 0, layout);
    for (xkb_keycode_t code = xkb_keymap_min_keycode(keymap_.get());
         code <= xkb_keymap_max_keycode(keymap_.get()); ++code) {
        if (unique(xkb_state_key_get_one_sym(state.get(), code)) == unique(keysym)) {
            return static_cast<xcb_keycode_t>(code);
        }
    }
    return std::nullopt;
}

std::optional<Keystroke> KeyboardMap::find(xcb_keysym_t keysym, std::uint32_t state) const {
    const std::uint32_t modifiers = state & kModifiers, layout = state >> kLayoutShift & kLayoutMask;
    if (const auto code = keyWith(modifiers, layout, keysym)) {
        return Keystroke{*code, false};
    }
    if (const auto code = keyWith(modifiers ^ XCB_MOD_MASK_SHIFT, layout, keysym)) {
        return Keystroke{*code, true};
    }
    // Modifiers with a function key are meant, too: Ctrl+Alt+F1 is F1's key, although it then has another
    // keysym.
    const auto code = isCharacter(keysym) ? std::nullopt : keyWith(0, layout, keysym);
    return code ? std::optional(Keystroke{*code, false}) : std::nullopt;
}

std::optional<xcb_keycode_t> KeyboardMap::spareKey(const std::function<bool(xcb_keycode_t)>& isHeld) const {
    // From the end, because the first codes belong to keys that some keyboards have.
    for (xkb_keycode_t each = xkb_keymap_max_keycode(keymap_.get());
         each >= xkb_keymap_min_keycode(keymap_.get()); --each) {
        const auto code = static_cast<xcb_keycode_t>(each);
        if (xkb_keymap_num_layouts_for_key(keymap_.get(), each) == 0 && !isHeld(code)) {
            return code;
        }
    }
    const auto oldest = std::find_if_not(lent_.begin(), lent_.end(), isHeld);
    return oldest == lent_.end() ? std::nullopt : std::optional(*oldest);
}

void KeyboardMap::lend(xcb_keycode_t spare, xcb_keysym_t keysym) {
    assignKey(display_, spare, keysym);
    std::erase(lent_, spare);
    lent_.push_back(spare);
    display_.synchronise();
    refresh();
}

}  // namespace verbcast

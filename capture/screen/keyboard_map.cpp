#include "capture/screen/keyboard_map.h"

#include <algorithm>

namespace verbcast {
namespace {

constexpr unsigned kColumnsOfGroup = 2;  // without and with Shift
constexpr xcb_keysym_t kFirstKeypad = 0xFF80, kLastKeypad = 0xFFBD;

bool isOnKeypad(xcb_keysym_t keysym) {
    return keysym >= kFirstKeypad && keysym <= kLastKeypad;
}

/// For Latin-1, whose keysyms equal the character codes.
bool isPairOfLetters(xcb_keysym_t lower, xcb_keysym_t upper) {
    const bool ascii = lower >= 'a' && lower <= 'z';
    const bool accented = lower >= 0xE0 && lower <= 0xFE && lower != 0xF7;
    return (ascii || accented) && upper + 0x20 == lower;
}

}  // namespace

bool isCharacter(xcb_keysym_t keysym) {
    // Function keys are at 0xFD00 to 0xFFFF; Unicode characters start at 0x1000000.
    return keysym < 0xFD00 || keysym >= 0x1000000;
}

KeyboardMap::KeyboardMap(const XDisplay& display) : display_(display) {
    const xcb_setup_t& setup = *xcb_get_setup(display.get());
    firstCode_ = setup.min_keycode;
    codeCount_ = setup.max_keycode - setup.min_keycode + 1U;
    refresh();
}

KeyboardMap::~KeyboardMap() {
    for (const xcb_keycode_t code : lent_) {
        assign(code, XCB_NO_SYMBOL);
    }
    display_.synchronise();
}

void KeyboardMap::refresh() {
    xcb_connection_t* connection = display_.get();
    const auto mapCookie = xcb_get_keyboard_mapping(connection, static_cast<xcb_keycode_t>(firstCode_),
                                                    static_cast<std::uint8_t>(codeCount_));
    const auto modifierCookie = xcb_get_modifier_mapping(connection);
    const XReply<xcb_get_keyboard_mapping_reply_t> map(
        xcb_get_keyboard_mapping_reply(connection, mapCookie, nullptr));
    const XReply<xcb_get_modifier_mapping_reply_t> modifiers(
        xcb_get_modifier_mapping_reply(connection, modifierCookie, nullptr));
    if (!map || !modifiers) {
        display_.requireAlive();
        return;
    }
    columns_ = map->keysyms_per_keycode;
    const xcb_keysym_t* symbols = xcb_get_keyboard_mapping_keysyms(map.get());
    symbols_.assign(symbols, symbols + xcb_get_keyboard_mapping_keysyms_length(map.get()));
    symbols_.resize(std::size_t{columns_} * codeCount_, XCB_NO_SYMBOL);
    const xcb_keycode_t* shift =
        xcb_get_modifier_mapping_keycodes(modifiers.get());  // Shift's row is the first
    shiftKeys_.clear();
    std::copy_if(shift, shift + modifiers->keycodes_per_modifier, std::back_inserter(shiftKeys_),
                 [](xcb_keycode_t code) { return code != 0; });
}

xcb_keysym_t KeyboardMap::symbol(unsigned code, unsigned column) const {
    return column < columns_ ? symbols_[std::size_t{code - firstCode_} * columns_ + column] : XCB_NO_SYMBOL;
}

std::optional<Keystroke> KeyboardMap::find(xcb_keysym_t keysym, unsigned group) const {
    std::optional<Keystroke> shifted;
    for (unsigned code = firstCode_; code < firstCode_ + codeCount_; ++code) {
        const xcb_keysym_t plain = symbol(code, group * kColumnsOfGroup);
        const xcb_keysym_t other = symbol(code, group * kColumnsOfGroup + 1);
        if (plain != keysym && other != keysym) {
            continue;
        }
        const bool differ = other != XCB_NO_SYMBOL && other != plain;
        if (differ && isOnKeypad(keysym)) {
            continue;  // its result depends on Num Lock as well
        }
        const Keystroke stroke{static_cast<xcb_keycode_t>(code), plain != keysym, differ,
                               isPairOfLetters(plain, other)};
        if (!stroke.shifted) {
            return stroke;
        }
        shifted = shifted ? shifted : stroke;
    }
    return shifted;
}

bool KeyboardMap::isUnused(unsigned code) const {
    for (unsigned column = 0; column < columns_; ++column) {
        if (symbol(code, column) != XCB_NO_SYMBOL) {
            return false;
        }
    }
    return true;
}

void KeyboardMap::assign(xcb_keycode_t code, xcb_keysym_t keysym) {
    // In every column, so that neither Shift nor the layout nor Lock changes the result.
    const std::vector<xcb_keysym_t> row(columns_, keysym);
    xcb_change_keyboard_mapping(display_.get(), 1, code, static_cast<std::uint8_t>(columns_), row.data());
    std::copy(row.begin(), row.end(),
              symbols_.begin() + static_cast<std::ptrdiff_t>(std::size_t{code - firstCode_} * columns_));
}

std::optional<Keystroke> KeyboardMap::lend(xcb_keysym_t keysym,
                                           const std::function<bool(xcb_keycode_t)>& isHeld) {
    // From the end, because the first codes belong to keys that some keyboards have.
    for (unsigned code = firstCode_ + codeCount_; code-- > firstCode_;) {
        const auto each = static_cast<xcb_keycode_t>(code);
        if (isUnused(code) && std::find(lent_.begin(), lent_.end(), each) == lent_.end()) {
            assign(each, keysym);
            lent_.push_back(each);
            return Keystroke{each, false, false, false};
        }
    }
    const auto oldest =
        std::find_if(lent_.begin(), lent_.end(), [&](xcb_keycode_t code) { return !isHeld(code); });
    if (oldest == lent_.end()) {
        return std::nullopt;
    }
    const xcb_keycode_t code = *oldest;
    lent_.erase(oldest);
    assign(code, keysym);
    lent_.push_back(code);
    return Keystroke{code, false, false, false};
}

}  // namespace verbcast

#include "app/window/input/keysym.h"

#include <xkbcommon/xkbcommon.h>

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMetaEnum>
#include <algorithm>
#include <array>
#include <utility>

namespace verbcast {
namespace {

/// Keys that Qt and XKB name differently, other than by "XF86".
constexpr auto kOtherNames = std::to_array<std::pair<int, const char*>>({
    {Qt::Key_Backtab, "ISO_Left_Tab"},
    {Qt::Key_Enter, "KP_Enter"},
    {Qt::Key_SysReq, "Sys_Req"},
    {Qt::Key_PageUp, "Page_Up"},
    {Qt::Key_PageDown, "Page_Down"},
    {Qt::Key_NumLock, "Num_Lock"},
    {Qt::Key_ScrollLock, "Scroll_Lock"},
    {Qt::Key_CapsLock, "Caps_Lock"},
    {Qt::Key_Shift, "Shift_L"},
    {Qt::Key_Control, "Control_L"},
    {Qt::Key_Alt, "Alt_L"},
    {Qt::Key_AltGr, "ISO_Level3_Shift"},
    {Qt::Key_Meta, "Super_L"},
    {Qt::Key_VolumeDown, "XF86AudioLowerVolume"},
    {Qt::Key_VolumeMute, "XF86AudioMute"},
    {Qt::Key_VolumeUp, "XF86AudioRaiseVolume"},
    {Qt::Key_MediaPlay, "XF86AudioPlay"},
    {Qt::Key_MediaStop, "XF86AudioStop"},
    {Qt::Key_MediaPrevious, "XF86AudioPrev"},
    {Qt::Key_MediaNext, "XF86AudioNext"},
});

QByteArray nameOf(int qtKey) {
    const auto* other = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                     [qtKey](const auto& each) { return each.first == qtKey; });
    return other != kOtherNames.end()
               ? QByteArray(other->second)
               : QByteArray(QMetaEnum::fromType<Qt::Key>().valueToKey(qtKey)).remove(0, 4);  // "Key_"
}

std::uint32_t namedKeysym(int qtKey, bool onKeypad) {
    if (onKeypad && qtKey == Qt::Key_Clear) {
        return XKB_KEY_KP_Begin;
    }
    for (const char* prefix : {onKeypad ? "KP_" : "", "", "XF86"}) {
        if (const auto keysym = xkb_keysym_from_name(prefix + nameOf(qtKey), XKB_KEYSYM_CASE_INSENSITIVE)) {
            return keysym;
        }
    }
    return XKB_KEY_NoSymbol;
}

/// Qt names letters by their upper case.
char32_t letterOfKey(const QKeyEvent& event) {
    const auto key = static_cast<char32_t>(event.key());
    return event.modifiers().testFlag(Qt::ShiftModifier) ? key : QChar::toLower(key);
}

}  // namespace

std::uint32_t x11Keysym(const QKeyEvent& event, bool nativeIsKeysym) {
    if (nativeIsKeysym && event.nativeVirtualKey() != 0) {
        return event.nativeVirtualKey();
    }
    const int key = event.key();
    const bool onKeypad = event.modifiers().testFlag(Qt::KeypadModifier);
    if (key >= Qt::Key_Escape) {
        if (const std::uint32_t keysym = namedKeysym(key, onKeypad)) {
            return keysym;
        }
    } else if (onKeypad && ((key >= Qt::Key_Asterisk && key <= Qt::Key_9) || key == Qt::Key_Equal)) {
        return XKB_KEY_KP_0 - Qt::Key_0 + static_cast<std::uint32_t>(key);  // in ASCII order
    }
    // With Ctrl the text is a control character or empty: then use the key's name.
    const auto characters = event.text().toUcs4();
    if (!characters.isEmpty() && QChar::category(characters.first()) != QChar::Other_Control) {
        return xkb_utf32_to_keysym(characters.first());
    }
    return key > 0 && key < Qt::Key_Escape ? xkb_utf32_to_keysym(letterOfKey(event)) : XKB_KEY_NoSymbol;
}

bool platformGivesKeysyms() {
    const QString platform = QGuiApplication::platformName();
    return platform == "xcb" || platform.startsWith("wayland");
}

}  // namespace verbcast

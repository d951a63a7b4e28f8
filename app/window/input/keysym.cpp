#include "app/window/input/keysym.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <algorithm>
#include <array>

namespace verbcast {
namespace {

struct KnownKey {
    int qtKey;
    std::uint32_t keysym;
};

constexpr auto kNamedKeys = std::to_array<KnownKey>({
    {Qt::Key_Escape, 0xff1b},
    {Qt::Key_Tab, 0xff09},
    {Qt::Key_Backtab, 0xfe20},
    {Qt::Key_Backspace, 0xff08},
    {Qt::Key_Return, 0xff0d},
    {Qt::Key_Enter, 0xff8d},
    {Qt::Key_Insert, 0xff63},
    {Qt::Key_Delete, 0xffff},
    {Qt::Key_Pause, 0xff13},
    {Qt::Key_Print, 0xff61},
    {Qt::Key_SysReq, 0xff15},
    {Qt::Key_Clear, 0xff0b},
    {Qt::Key_Home, 0xff50},
    {Qt::Key_Left, 0xff51},
    {Qt::Key_Up, 0xff52},
    {Qt::Key_Right, 0xff53},
    {Qt::Key_Down, 0xff54},
    {Qt::Key_PageUp, 0xff55},
    {Qt::Key_PageDown, 0xff56},
    {Qt::Key_End, 0xff57},
    {Qt::Key_Menu, 0xff67},
    {Qt::Key_Help, 0xff6a},
    {Qt::Key_NumLock, 0xff7f},
    {Qt::Key_ScrollLock, 0xff14},
    {Qt::Key_CapsLock, 0xffe5},
    {Qt::Key_Shift, 0xffe1},
    {Qt::Key_Control, 0xffe3},
    {Qt::Key_Alt, 0xffe9},
    {Qt::Key_AltGr, 0xfe03},
    {Qt::Key_Meta, 0xffeb},
    {Qt::Key_Super_L, 0xffeb},
    {Qt::Key_Super_R, 0xffec},
    {Qt::Key_Hyper_L, 0xffed},
    {Qt::Key_Hyper_R, 0xffee},
    {Qt::Key_Multi_key, 0xff20},
    {Qt::Key_VolumeDown, 0x1008ff11},
    {Qt::Key_VolumeMute, 0x1008ff12},
    {Qt::Key_VolumeUp, 0x1008ff13},
    {Qt::Key_MediaPlay, 0x1008ff14},
    {Qt::Key_MediaStop, 0x1008ff15},
    {Qt::Key_MediaPrevious, 0x1008ff16},
    {Qt::Key_MediaNext, 0x1008ff17},
    {Qt::Key_Back, 0x1008ff26},
    {Qt::Key_Forward, 0x1008ff27},
    {Qt::Key_Refresh, 0x1008ff29},
});

constexpr auto kKeypadKeys = std::to_array<KnownKey>({
    {Qt::Key_Enter, 0xff8d},
    {Qt::Key_Home, 0xff95},
    {Qt::Key_Left, 0xff96},
    {Qt::Key_Up, 0xff97},
    {Qt::Key_Right, 0xff98},
    {Qt::Key_Down, 0xff99},
    {Qt::Key_PageUp, 0xff9a},
    {Qt::Key_PageDown, 0xff9b},
    {Qt::Key_End, 0xff9c},
    {Qt::Key_Clear, 0xff9d},
    {Qt::Key_Insert, 0xff9e},
    {Qt::Key_Delete, 0xff9f},
});

template <std::size_t Count>
std::uint32_t findKey(const std::array<KnownKey, Count>& keys, int qtKey) {
    const auto* found =
        std::find_if(keys.begin(), keys.end(), [&](const KnownKey& key) { return key.qtKey == qtKey; });
    return found == keys.end() ? 0 : found->keysym;
}

std::uint32_t keypadKeysym(int qtKey) {
    // From KP_Multiply and KP_0 on, the keypad's characters are in ASCII order.
    constexpr std::uint32_t kFromAscii = 0xff80;
    const bool isCharacter = qtKey >= Qt::Key_Asterisk && qtKey <= Qt::Key_9;
    if (isCharacter || qtKey == Qt::Key_Equal) {
        return kFromAscii + static_cast<std::uint32_t>(qtKey);
    }
    return findKey(kKeypadKeys, qtKey);
}

bool isControl(std::uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

std::uint32_t characterKeysym(std::uint32_t character) {
    if (isControl(character)) {
        return 0;
    }
    return character < 0x100 ? character : 0x01000000 + character;
}

std::uint32_t namedKeysym(int qtKey) {
    if (qtKey >= Qt::Key_F1 && qtKey <= Qt::Key_F35) {
        return 0xffbe + static_cast<std::uint32_t>(qtKey - Qt::Key_F1);
    }
    if (qtKey >= Qt::Key_Dead_Grave && qtKey <= Qt::Key_Dead_Horn) {
        return 0xfe50 + static_cast<std::uint32_t>(qtKey - Qt::Key_Dead_Grave);
    }
    return findKey(kNamedKeys, qtKey);
}

/// Qt names letters by their upper case.
std::uint32_t letterOfKey(const QKeyEvent& event) {
    if (event.key() <= 0 || event.key() >= Qt::Key_Escape) {
        return 0;
    }
    const auto key = static_cast<char32_t>(event.key());
    return event.modifiers().testFlag(Qt::ShiftModifier) ? key : QChar::toLower(key);
}

}  // namespace

std::uint32_t x11Keysym(const QKeyEvent& event, bool nativeIsKeysym) {
    if (nativeIsKeysym && event.nativeVirtualKey() != 0) {
        return event.nativeVirtualKey();
    }
    if (event.modifiers().testFlag(Qt::KeypadModifier)) {
        if (const std::uint32_t keysym = keypadKeysym(event.key())) {
            return keysym;
        }
    }
    if (const std::uint32_t keysym = namedKeysym(event.key())) {
        return keysym;
    }
    // With Ctrl the text is a control character or empty: then use the key's name.
    const auto characters = event.text().toUcs4();
    const std::uint32_t typed = characters.isEmpty() ? 0 : characterKeysym(characters.first());
    return typed != 0 ? typed : characterKeysym(letterOfKey(event));
}

bool platformGivesKeysyms() {
    const QString platform = QGuiApplication::platformName();
    return platform == "xcb" || platform.startsWith("wayland");
}

}  // namespace verbcast

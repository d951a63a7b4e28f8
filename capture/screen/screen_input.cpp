#include "capture/screen/screen_input.h"

#include <fmt/format.h>
#include <xcb/xtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

constexpr std::uint8_t kWheelUp = 4, kWheelDown = 5, kWheelLeft = 6, kWheelRight = 7;
constexpr std::uint32_t kLastButton = 9;
constexpr float kMaxNotches = 100;  // per event: a viewer must not keep the server busy

bool needsPlace(const ViewerInput& input) {
    const InputKind kind = input.event.kind;
    return kind == InputKind::PointerMove || kind == InputKind::PointerButton || kind == InputKind::Wheel ||
           kind == InputKind::Touch;
}

}  // namespace

ScreenInput::ScreenInput(const ScreenSelection& selection, std::atomic<std::uint64_t>& injectedSerial,
                         const InputManner& manner)
    : area_(display_, selection), keyboard_(display_), manner_(manner), injectedSerial_(injectedSerial) {
    if (!display_.has(xcb_test_id)) {
        throw Error(
            ErrorKind::Display,
            fmt::format("the X server {} takes no input: it lacks the extension XTEST", display_.name()),
            "leave --allow-input out");
    }
    if (manner.devices) {
        devices_.emplace(*manner.devices, std::get<OneWindow>(selection).id);
    } else {
        guard_.emplace();
    }
}

ScreenInput::~ScreenInput() {
    for (auto& [viewer, held] : viewers_) {
        releaseAll(held);
    }
    carryOut();
}

void ScreenInput::apply(std::span<const ViewerInput> events) {
    if (events.empty()) {
        return;
    }
    if (devices_) {
        devices_->requireThere();
    }
    refreshMaps(events);
    for (const ViewerInput& input : events) {
        applyOne(input);
    }
    carryOut();
    hands().requireAlive();
    injectedSerial_.store(events.back().serial, std::memory_order_release);
}

void ScreenInput::refreshMaps(std::span<const ViewerInput> events) {
    keyboard_.refresh();
    if (std::ranges::any_of(events, needsPlace)) {
        try {
            place_ = area_.locate();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Display) {
                throw;
            }
            place_.reset();  // gone: the source reports it
        }
    }
}

void ScreenInput::applyOne(const ViewerInput& input) {
    const InputEvent& event = input.event;
    if (event.kind == InputKind::Application) {
        return;
    }
    if (event.kind != InputKind::PointerMove) {
        releaseBorrowedShift();
    }
    Held& held = viewers_[input.viewer];
    switch (event.kind) {
        case InputKind::Key:
            event.pressed ? press(held, event.code) : release(held, event.code);
            break;
        case InputKind::PointerMove:
            movePointer(event);
            break;
        case InputKind::PointerButton:
            if (aim(event) || !event.pressed) {
                button(held, event.code, event.pressed);
            }
            break;
        case InputKind::Wheel:
            if (aim(event)) {
                turnWheel(held.wheelY, event.dy, kWheelUp, kWheelDown);
                turnWheel(held.wheelX, event.dx, kWheelRight, kWheelLeft);
            }
            break;
        case InputKind::Touch:
            touch(held, event);
            break;
        default:
            releaseAll(held);
            viewers_.erase(input.viewer);
            break;
    }
}

void ScreenInput::fake(std::uint8_t type, std::uint8_t detail, int x, int y) {
    if (guard_) {
        guard_->fakes(type, detail);
    }
    xcb_test_fake_input(hands().get(), type, detail, XCB_CURRENT_TIME, hands().root(),
                        static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), 0);
}

void ScreenInput::carryOut() {
    hands().synchronise();
    if (guard_) {
        guard_->done();
    }
}

bool ScreenInput::isKeyHeld(xcb_keycode_t code) const {
    return std::ranges::any_of(viewers_, [code](const auto& viewer) {
        return std::ranges::any_of(viewer.second.keys,
                                   [code](const auto& each) { return each.second == code; });
    });
}

bool ScreenInput::isButtonHeld(std::uint32_t number) const {
    return std::ranges::any_of(
        viewers_, [number](const auto& viewer) { return viewer.second.buttons.contains(number); });
}

std::uint32_t ScreenInput::modifierState() const {
    const auto reply = hands().ask(xcb_query_pointer, xcb_query_pointer_reply, hands().root());
    return reply ? reply->mask : 0U;
}

void ScreenInput::press(Held& held, xcb_keysym_t keysym) {
    if (keysym == XCB_NO_SYMBOL || held.keys.contains(keysym)) {
        return;  // the server itself repeats held keys
    }
    if (devices_ && !devices_->focus()) {
        return;
    }
    const std::uint32_t state = modifierState();
    std::optional<Keystroke> stroke = keyboard_.find(keysym, state);
    if (!stroke) {
        stroke = lend(keysym);
    }
    if (!stroke) {
        warnOfPeer(LogCategory::Capture, "no key", "", "no key for the keysym {:#x} on the display {}",
                   keysym, display_.name());
        return;
    }
    if (!isKeyHeld(stroke->code)) {
        typeKey(*stroke, keysym, state);
    }
    held.keys[keysym] = stroke->code;
}

std::optional<Keystroke> ScreenInput::lend(xcb_keysym_t keysym) {
    const auto spare = keyboard_.spareKey([this](xcb_keycode_t code) { return isKeyHeld(code); });
    if (!spare) {
        return std::nullopt;
    }
    if (guard_) {
        guard_->lends(*spare);
    }
    keyboard_.lend(*spare, keysym);
    return Keystroke{*spare};
}

/// Presses the key such that it gives the keysym, whatever the state of Shift and Lock.
void ScreenInput::typeKey(const Keystroke& stroke, xcb_keysym_t keysym, std::uint32_t state) {
    const bool down = (state & XCB_MOD_MASK_SHIFT) != 0;
    std::vector<xcb_keycode_t> lifted;
    for (const xcb_keysym_t shift : {XKB_KEY_Shift_L, XKB_KEY_Shift_R}) {
        const auto found = stroke.otherShift ? keyboard_.find(shift, state) : std::nullopt;
        if (found && !down && borrowedShift_ == 0) {
            borrowedShift_ = found->code;
            fake(XCB_KEY_PRESS, borrowedShift_);
        } else if (found && down && isCharacter(keysym) && isKeyHeld(found->code)) {
            lifted.push_back(found->code);
        }
    }
    for (const xcb_keycode_t code : lifted) {
        fake(XCB_KEY_RELEASE, code);
    }
    fake(XCB_KEY_PRESS, stroke.code);
    for (const xcb_keycode_t code : lifted) {
        fake(XCB_KEY_PRESS, code);
    }
}

/// A borrowed Shift stays down with its key, so that the server repeats the right character, but must not
/// affect another key.
void ScreenInput::releaseBorrowedShift() {
    const xcb_keycode_t code = std::exchange(borrowedShift_, xcb_keycode_t{0});
    if (code != 0 && !isKeyHeld(code)) {
        fake(XCB_KEY_RELEASE, code);
    }
}

void ScreenInput::release(Held& held, xcb_keysym_t keysym) {
    auto found = held.keys.find(keysym);
    if (found == held.keys.end()) {
        // Pressed as "A" but released as "a", because Shift was released first: the same key.
        const auto stroke = keyboard_.find(keysym, modifierState());
        found = std::find_if(held.keys.begin(), held.keys.end(),
                             [&](const auto& each) { return stroke && each.second == stroke->code; });
    }
    if (found == held.keys.end()) {
        return;
    }
    const xcb_keycode_t code = found->second;
    held.keys.erase(found);
    if (!isKeyHeld(code)) {
        fake(XCB_KEY_RELEASE, code);
    }
}

bool ScreenInput::movePointer(const InputEvent& event) {
    if (!place_ || !std::isfinite(event.x) || !std::isfinite(event.y)) {
        return false;
    }
    const Rectangle& seen = place_->visible;
    const auto scaled = [](float value, int size, std::uint32_t pictureSize) {
        return pictureSize == 0 ? value : value * static_cast<float>(size) / static_cast<float>(pictureSize);
    };
    const float x = scaled(event.x, place_->area.width, manner_.pictureWidth);
    const float y = scaled(event.y, place_->area.height, manner_.pictureHeight);
    const auto inside = [](float value, int first, int size) {
        return static_cast<int>(
            std::clamp(std::floor(value), static_cast<float>(first), static_cast<float>(first + size - 1)));
    };
    fake(XCB_MOTION_NOTIFY, 0, place_->area.x + inside(x, seen.x, seen.width),
         place_->area.y + inside(y, seen.y, seen.height));
    return true;
}

/// Moves the pointer there. False if a button would not reach what is sent.
bool ScreenInput::aim(const InputEvent& event) {
    return movePointer(event) && (!devices_ || devices_->pointsAtProgram());
}

void ScreenInput::button(Held& held, std::uint32_t number, bool pressed) {
    const bool wheel = number >= kWheelUp && number <= kWheelRight;
    if (number < 1 || number > kLastButton || wheel) {
        return;
    }
    const bool before = isButtonHeld(number);
    if (pressed) {
        held.buttons.insert(number);
    } else {
        held.buttons.erase(number);
    }
    if (const bool now = isButtonHeld(number); now != before) {
        fake(now ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE, static_cast<std::uint8_t>(number));
    }
}

void ScreenInput::turnWheel(float& rest, float notches, std::uint8_t forwards, std::uint8_t backwards) {
    if (!std::isfinite(notches)) {
        return;
    }
    rest += std::clamp(notches, -kMaxNotches, kMaxNotches);
    const float whole = std::trunc(rest);
    rest -= whole;
    for (int i = 0; i < static_cast<int>(std::abs(whole)); ++i) {
        fake(XCB_BUTTON_PRESS, whole > 0 ? forwards : backwards);
        fake(XCB_BUTTON_RELEASE, whole > 0 ? forwards : backwards);
    }
}

/// The first finger acts as the pointer with its left button; others are ignored.
void ScreenInput::touch(Held& held, const InputEvent& event) {
    if (held.finger && *held.finger != event.code) {
        return;
    }
    const bool aimed = aim(event);
    if (event.pressed && !held.finger && aimed) {
        held.finger = event.code;
        button(held, 1, true);
    } else if (!event.pressed && held.finger) {
        held.finger.reset();
        button(held, 1, false);
    }
}

void ScreenInput::releaseAll(Held& held) {
    releaseBorrowedShift();
    while (!held.keys.empty()) {
        release(held, held.keys.begin()->first);
    }
    while (!held.buttons.empty()) {
        button(held, *held.buttons.begin(), false);
    }
    held = {};
}

}  // namespace verbcast

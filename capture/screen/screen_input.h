// Injects viewers' keys and pointers into the screen that they see, like its own devices (XTEST).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "capture/input_injector.h"
#include "capture/screen/input_guard.h"
#include "capture/screen/keyboard_map.h"
#include "capture/screen/screen_area.h"
#include "capture/screen/window_devices.h"
#include "capture/screen/x_display.h"

namespace verbcast {

/// How input is injected; by default with the local user's devices, which then serve both.
struct InputManner {
    /// Devices to use instead, for the selected window only: keys go to it wherever the user types, and
    /// buttons are ignored while it is covered. See OwnMasterPair.
    std::optional<MasterPair> devices{};
    /// The size to which viewers see the selection scaled; 0: unscaled.
    std::uint32_t pictureWidth = 0, pictureHeight = 0;
};

/// Has its own connection, so that it never waits for a picture. The pointer stays inside what is sent. A key
/// or button that two viewers hold stays down until both have released it. Ignores application messages.
/// Nothing stays pressed if this process is killed; with devices, their owner ensures that.
class ScreenInput final : public InputInjector {
  public:
    /// `injectedSerial` is set to the serial of the last event that the server carried out. Throws
    /// Error{Display} if the server has no XTEST. InputManner::devices needs a window as the selection;
    /// without them, it forks.
    ScreenInput(const ScreenSelection& selection, std::atomic<std::uint64_t>& injectedSerial,
                const InputManner& manner = {});
    /// Releases everything that viewers hold.
    ~ScreenInput() override;

    void apply(std::span<const ViewerInput> events) override;

  private:
    /// What one viewer holds down.
    struct Held {
        std::map<xcb_keysym_t, xcb_keycode_t> keys;
        std::set<std::uint32_t> buttons;
        std::optional<std::uint32_t> finger;
        float wheelX = 0, wheelY = 0;  // fractions of a notch
    };

    void refreshMaps(std::span<const ViewerInput> events);
    void applyOne(const ViewerInput& input);
    /// The connection to use XTEST on.
    const XDisplay& hands() const { return devices_ ? devices_->display() : display_; }
    void press(Held& held, xcb_keysym_t keysym);
    void release(Held& held, xcb_keysym_t keysym);
    std::optional<Keystroke> lend(xcb_keysym_t keysym);
    void typeKey(const Keystroke& stroke, xcb_keysym_t keysym, std::uint32_t state);
    void releaseBorrowedShift();
    bool movePointer(const InputEvent& event);
    bool aim(const InputEvent& event);
    void button(Held& held, std::uint32_t number, bool pressed);
    void turnWheel(float& rest, float notches, std::uint8_t forwards, std::uint8_t backwards);
    void touch(Held& held, const InputEvent& event);
    void releaseAll(Held& held);
    bool isKeyHeld(xcb_keycode_t code) const;
    bool isButtonHeld(std::uint32_t number) const;
    /// Modifiers, buttons and layout, as in key events.
    std::uint32_t modifierState() const;
    void fake(std::uint8_t type, std::uint8_t detail, int x = 0, int y = 0);
    /// Returns when the server has carried out everything faked so far.
    void carryOut();

    XDisplay display_;
    ScreenArea area_;
    std::optional<InputGuard> guard_;  // before what it guards; unset with devices
    KeyboardMap keyboard_;             // programs' map, with or without devices
    InputManner manner_;
    std::optional<WindowDevices> devices_;
    std::atomic<std::uint64_t>& injectedSerial_;
    std::optional<ScreenPlace> place_;
    std::map<std::uint64_t, Held> viewers_;
    xcb_keycode_t borrowedShift_ = 0;  // Shift key pressed for the last key, until the next event
};

}  // namespace verbcast

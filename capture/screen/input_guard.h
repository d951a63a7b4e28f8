// Releases the keys and buttons that viewers hold down on a screen, even when this process is killed.
#pragma once

#include <xcb/xproto.h>

#include <array>
#include <cstdint>
#include <memory>

#include "core/base/os/guard_process.h"

namespace verbcast {

/// A guard process shares a page with us that records what is pressed: so the guard is always up to date, and
/// nobody ever waits for it. Used by the thread that presses.
class InputGuard {
  public:
    /// For the screen of $DISPLAY. Forks. Throws Error{Resource}.
    InputGuard();
    /// Everything must have been released.
    ~InputGuard() { *shared_ = {}; }

    /// Call before asking the server. `type` is XCB_KEY_PRESS, XCB_KEY_RELEASE, XCB_BUTTON_PRESS or
    /// XCB_BUTTON_RELEASE; others are ignored.
    void fakes(std::uint8_t type, std::uint8_t detail);
    /// Call before a key gets a meaning that it lacks.
    void lends(xcb_keycode_t code);
    /// Call when the server has done everything that it was asked to.
    void done() { *shared_ = pressed_; }

  private:
    static constexpr std::size_t kCodes = 256;
    using Codes = std::array<bool, kCodes>;
    struct Held {
        Codes keys, buttons, lent;
        friend bool operator==(const Held&, const Held&) = default;
    };
    static void letGo(const Held& held);

    struct Unmap {
        void operator()(Held* page) const;
    };
    std::unique_ptr<Held, Unmap> shared_;  // read by the guard once nobody writes it any more
    Held pressed_{};                       // what will be held once the server has done everything
    GuardProcess guard_;
};

}  // namespace verbcast

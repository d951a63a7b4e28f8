// Releases the keys and buttons that viewers hold down on a screen, even when this process is killed.
#pragma once

#include <xcb/xproto.h>

#include <array>
#include <cstdint>
#include <memory>

#include "core/base/guard_process.h"

namespace verbcast {

/// A guard that shares a page with us, in which stands what is pressed: so it knows that at any moment, and
/// nobody ever waits for it. Belongs to the thread that presses.
class InputGuard {
  public:
    /// Of the screen that $DISPLAY names. Forks. Throws Error{Resource}.
    InputGuard();
    /// Everything has been released.
    ~InputGuard();

    /// Before the server is asked to: `type` is of XCB_KEY_PRESS, XCB_KEY_RELEASE, XCB_BUTTON_PRESS,
    /// XCB_BUTTON_RELEASE; others are left out.
    void fakes(std::uint8_t type, std::uint8_t detail);
    /// The key is about to get a meaning that it has not.
    void lends(xcb_keycode_t code);
    /// The server has done all that it was asked to.
    void done();

  private:
    static constexpr std::size_t kCodes = 256;
    using Codes = std::array<bool, kCodes>;
    struct Held {
        Codes keys, buttons, lent;
    };
    static void letGo(const Held& held);

    struct Unmap {
        void operator()(Held* page) const;
    };
    std::unique_ptr<Held, Unmap> shared_;  // read by the guard once nobody writes it any more
    Held pressed_{};                       // what will be held when the server has done all
    GuardProcess guard_;
};

}  // namespace verbcast

#include "capture/screen/input_guard.h"

#include <sys/mman.h>
#include <xcb/xtest.h>

#include <atomic>
#include <cerrno>

#include "capture/screen/keyboard_map.h"
#include "capture/screen/x_display.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

void* sharedPage(std::size_t bytes) {
    void* const page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", "a guard for the input", errno);
    }
    return page;
}

void fake(const XDisplay& display, std::uint8_t type, std::size_t detail) {
    xcb_test_fake_input(display.get(), type, static_cast<std::uint8_t>(detail), XCB_CURRENT_TIME,
                        display.root(), 0, 0, 0);
}

template <typename Codes, typename Do>
void forEach(const Codes& codes, Do&& act) {
    for (std::size_t code = 0; code < codes.size(); ++code) {
        if (codes[code]) {
            act(code);
        }
    }
}

}  // namespace

void InputGuard::Unmap::operator()(Held* page) const {
    ::munmap(page, sizeof *page);
}

InputGuard::InputGuard()
    : shared_(new (sharedPage(sizeof(Held))) Held{}),
      guard_("a guard for the input", [held = shared_.get()](int line, int /*kept*/) {
          std::byte nothing{};
          hear(line, {&nothing, 1});
          letGo(*held);
      }) {}

void InputGuard::fakes(std::uint8_t type, std::uint8_t detail) {
    const bool press = type == XCB_KEY_PRESS || type == XCB_BUTTON_PRESS;
    const bool key = type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE;
    if (!press && type != XCB_KEY_RELEASE && type != XCB_BUTTON_RELEASE) {
        return;
    }
    (key ? pressed_.keys : pressed_.buttons)[detail] = press;
    if (press) {
        (key ? shared_->keys : shared_->buttons)[detail] = true;
        // Already recorded if we are killed at the next instruction.
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
}

void InputGuard::lends(xcb_keycode_t code) {
    pressed_.lent[code] = shared_->lent[code] = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Runs in the guard.
void InputGuard::letGo(const Held& held) {
    if (held == Held{}) {
        return;
    }
    const XDisplay display;
    forEach(held.keys, [&](std::size_t code) { fake(display, XCB_KEY_RELEASE, code); });
    forEach(held.buttons, [&](std::size_t button) { fake(display, XCB_BUTTON_RELEASE, button); });
    forEach(held.lent,
            [&](std::size_t code) { assignKey(display, static_cast<xcb_keycode_t>(code), XCB_NO_SYMBOL); });
    display.synchronise();
}

}  // namespace verbcast

#include "tests/support/x_keys.h"

#include <X11/XKBlib.h>
#include <X11/Xutil.h>

#include <memory>
#include <stdexcept>

namespace verbcast::testing {
namespace {

struct CloseDisplay {
    void operator()(Display* display) const { XCloseDisplay(display); }
};

std::unique_ptr<Display, CloseDisplay> openDisplay() {
    std::unique_ptr<Display, CloseDisplay> display(XOpenDisplay(nullptr));
    return display ? std::move(display) : throw std::runtime_error("Xlib does not open the display");
}

}  // namespace

xcb_keysym_t keysymOf(const xcb_key_press_event_t& event) {
    const auto display = openDisplay();
    XKeyEvent key{};
    key.type = KeyPress;
    key.display = display.get();
    key.state = event.state;
    key.keycode = event.detail;
    KeySym keysym = NoSymbol;
    XLookupString(&key, nullptr, 0, &keysym, nullptr);
    return static_cast<xcb_keysym_t>(keysym);
}

void lockLayout(unsigned layout) {
    const auto display = openDisplay();
    XkbLockGroup(display.get(), XkbUseCoreKbd, layout);
    XSync(display.get(), False);
}

}  // namespace verbcast::testing

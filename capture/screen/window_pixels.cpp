#include "capture/screen/window_pixels.h"

namespace verbcast {

WindowPixels::WindowPixels(const XDisplay& display, xcb_window_t window)
    : display_(display), window_(window) {
    constexpr std::uint32_t kMajor = 0, kMinor = 2;  // first version that can name a window's pixels
    const auto version =
        display.has(xcb_composite_id)
            ? display.ask(xcb_composite_query_version, xcb_composite_query_version_reply, kMajor, kMinor)
            : nullptr;
    // Redirecting fails if the window does not exist; locating it reports that.
    available_ = version && (version->major_version > kMajor || version->minor_version >= kMinor) &&
                 display.carriesOut(xcb_composite_redirect_window_checked(display.get(), window,
                                                                          XCB_COMPOSITE_REDIRECT_AUTOMATIC));
}

WindowPixels::~WindowPixels() {
    forget();
    if (available_) {
        xcb_composite_unredirect_window(display_.get(), window_, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
        xcb_flush(display_.get());
    }
}

xcb_pixmap_t WindowPixels::pixmap() {
    if (available_ && pixmap_ == XCB_NONE) {
        const xcb_pixmap_t name = display_.newId();
        if (display_.carriesOut(xcb_composite_name_window_pixmap_checked(display_.get(), window_, name))) {
            pixmap_ = name;
        }
    }
    return pixmap_;
}

void WindowPixels::forget() {
    if (pixmap_ != XCB_NONE) {
        xcb_free_pixmap(display_.get(), pixmap_);
        pixmap_ = XCB_NONE;
    }
}

}  // namespace verbcast

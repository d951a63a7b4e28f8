#include "app/preload/repainter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// A program that shows nothing for this long waits for an event.
constexpr auto kStill = 100ms;

void askForPicture(const XDisplay& display, std::uint32_t window) {
    const XReply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(display.get(), xcb_get_geometry(display.get(), window), nullptr));
    if (!geometry) {
        return;  // the program closed the window
    }
    xcb_expose_event_t event{};
    event.response_type = XCB_EXPOSE;
    event.window = window;
    event.width = geometry->width;
    event.height = geometry->height;
    std::array<char, 32> bytes{};  // the size of every event
    std::memcpy(bytes.data(), &event, sizeof event);
    xcb_send_event(display.get(), 0, window, XCB_EVENT_MASK_EXPOSURE, bytes.data());
    display.synchronise();
}

bool isViewable(const XDisplay& display, std::uint32_t window) {
    const XReply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(
        display.get(), xcb_get_window_attributes(display.get(), window), nullptr));
    return attributes && attributes->map_state == XCB_MAP_STATE_VIEWABLE;
}

/// The window or one that it lies in, by what window managers write: ICCCM, 4.1.3.1.
bool isIcon(const XDisplay& display, std::uint32_t window) {
    constexpr std::string_view kName = "WM_STATE";
    constexpr std::uint32_t kIconic = 3;
    const XReply<xcb_intern_atom_reply_t> atom(xcb_intern_atom_reply(
        display.get(), xcb_intern_atom(display.get(), 1, kName.size(), kName.data()), nullptr));
    while (atom && atom->atom != XCB_ATOM_NONE && window != 0) {
        const XReply<xcb_get_property_reply_t> state(xcb_get_property_reply(
            display.get(), xcb_get_property(display.get(), 0, window, atom->atom, XCB_ATOM_ANY, 0, 1),
            nullptr));
        if (state && state->format == 32 && xcb_get_property_value_length(state.get()) >= 4 &&
            *static_cast<const std::uint32_t*>(xcb_get_property_value(state.get())) == kIconic) {
            return true;
        }
        const XReply<xcb_query_tree_reply_t> tree(
            xcb_query_tree_reply(display.get(), xcb_query_tree(display.get(), window), nullptr));
        window = tree ? tree->parent : 0;
    }
    return false;
}

}  // namespace

Repainter::Repainter(Broadcast& sender) : sender_(sender), thread_([this] { run(); }) {}

Repainter::~Repainter() {
    stop();
}

void Repainter::stop() {
    stop_.notify();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Repainter::follow(std::uint32_t window) {
    window_ = window;
    other_ = 0;
    next_ = 0;
}

bool Repainter::watched() const {
    return sender_.receiverCount() > 0 || sender_.previewWatched();
}

void Repainter::run() {
    try {
        while (!stop_.isSet()) {
            const Status status = sender_.waitForReceiver(std::chrono::nanoseconds::max(), stop_);
            if (status != Status::Ok && status != Status::TimedOut) {
                return;
            }
            watch();
        }
    } catch (const std::exception& error) {
        log(LogCategory::Capture).error("{}", error.what());
    }
}

void Repainter::watch() {
    std::optional<XDisplay> display;
    // Counts connections, because one viewer may leave and another come between two checks.
    std::uint64_t served = 0;
    while (watched()) {
        const std::uint64_t connections = sender_.stats().connections;
        if (connections != served) {
            owed_ = true;
        }
        served = connections;
        waitReadable({stop_.descriptor()}, kStill);
        if (stop_.isSet()) {
            return;
        }
        if (window_ == 0) {
            continue;
        }
        if (!display) {
            display.emplace();
        }
        lookAtWindows(*display);
        const TimestampNs still = nowNs() - shownAt_.load(std::memory_order_relaxed);
        if (next_ == 0 && still > std::chrono::nanoseconds(kStill).count() && owed_.exchange(false)) {
            askForPicture(*display, window_);
        }
    }
    next_ = 0;
}

void Repainter::lookAtWindows(const XDisplay& display) {
    const std::uint32_t window = window_, other = other_;
    if (other == 0 || other == window || isViewable(display, window) || !isViewable(display, other) ||
        isIcon(display, window)) {
        next_ = 0;
        return;
    }
    next_ = other;
    if (window_ != window) {  // it has been followed meanwhile
        next_ = 0;
        return;
    }
    askForPicture(display, other);
}

}  // namespace verbcast

#include "capture/run/repainter.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/screen/x_display.h"
#include "core/base/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// A program that shows nothing for this long waits for an event.
constexpr auto kStill = 100ms;

}  // namespace

Repainter::Repainter(Broadcast& sender, std::uint32_t window)
    : sender_(sender), window_(window), thread_([this] { run(); }) {}

Repainter::~Repainter() {
    stop();
}

void Repainter::stop() {
    stop_.notify();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Repainter::run() {
    try {
        while (!stop_.isSet() &&
               sender_.waitForReceiver(std::chrono::nanoseconds::max(), stop_) == Status::Ok) {
            watch();
        }
    } catch (const std::exception& error) {
        log(LogCategory::Capture).error("{}", error.what());
    }
}

/// Runs while there are viewers.
void Repainter::watch() {
    // Counts connections, because one viewer may leave and another come between two checks.
    std::uint64_t served = 0;
    while (sender_.receiverCount() > 0) {
        const std::uint64_t connections = sender_.stats().connections;
        if (connections != served) {
            owed_ = true;
        }
        served = connections;
        waitReadable({stop_.descriptor()}, kStill);
        if (stop_.isSet()) {
            return;
        }
        const TimestampNs still = nowNs() - shownAt_.load(std::memory_order_relaxed);
        if (still > std::chrono::nanoseconds(kStill).count() && owed_.exchange(false)) {
            ask();
        }
    }
}

void Repainter::ask() {
    const XDisplay display;
    const XReply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(display.get(), xcb_get_geometry(display.get(), window_), nullptr));
    if (!geometry) {
        return;  // the program closed the window
    }
    xcb_expose_event_t event{};
    event.response_type = XCB_EXPOSE;
    event.window = window_;
    event.width = geometry->width;
    event.height = geometry->height;
    std::array<char, 32> bytes{};  // the size of every event
    std::memcpy(bytes.data(), &event, sizeof event);
    xcb_send_event(display.get(), 0, window_, XCB_EVENT_MASK_EXPOSURE, bytes.data());
    display.synchronise();
}

}  // namespace verbcast

#include "capture/screen/flash_watch.h"

#include <xcb/randr.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/screen/screen_changes.h"

namespace verbcast {
namespace {

constexpr TimestampNs kMs = 1'000'000;
// Toolkits have tiny windows for themselves.
constexpr int kMinWindowSide = 64;

xcb_atom_t atomOf(const XDisplay& display, std::string_view name) {
    const auto reply = display.ask(xcb_intern_atom, xcb_intern_atom_reply, std::uint8_t{0},
                                   static_cast<std::uint16_t>(name.size()), name.data());
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
}

/// X servers count the milliseconds of our clock, in 32 bits. One elsewhere has another clock.
TimestampNs timeOf(xcb_timestamp_t stamp) {
    constexpr std::uint32_t kLongestDelayMs = 10'000;
    const TimestampNs now = nowNs();
    const std::uint32_t ago = static_cast<std::uint32_t>(now / kMs) - stamp;
    return ago > kLongestDelayMs ? now : std::min(now, (now / kMs - ago) * kMs + kMs / 2);
}

}  // namespace

FlashWatch::FlashWatch(const XDisplay& display, pid_t program)
    : display_(display), program_(program), processId_(atomOf(display, "_NET_WM_PID")) {
    negotiateDamage(display);
    damageEvents_ = xcb_get_extension_data(display.get(), &xcb_damage_id)->first_event;
    const std::uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
    xcb_change_window_attributes(display.get(), display.root(), XCB_CW_EVENT_MASK, &mask);
    xcb_flush(display.get());
}

FlashWatch::~FlashWatch() {
    if (damage_ != XCB_NONE) {
        xcb_damage_destroy(display_.get(), damage_);
    }
    const std::uint32_t none = 0;
    xcb_change_window_attributes(display_.get(), display_.root(), XCB_CW_EVENT_MASK, &none);
    xcb_flush(display_.get());
}

void FlashWatch::look(std::vector<TimestampNs>& flashes) {
    // Events may come along with each reply: then the descriptor does not tell of them.
    do {
        if (!hasWindow() && std::exchange(windowsChanged_, false)) {
            findWindow();
        }
        if (std::exchange(drawnSinceLook_, false)) {
            const Drawn drawn = drawn_;
            const bool white = isWhite(drawn);
            if (white && !white_) {
                flashes.push_back(drawn.at);
            }
            white_ = white;
        }
    } while (takeEvents());
    display_.requireAlive();
}

double FlashWatch::refreshRate() const {
    const auto screen =
        display_.has(xcb_randr_id)
            ? display_.ask(xcb_randr_get_screen_info, xcb_randr_get_screen_info_reply, display_.root())
            : nullptr;
    return screen ? screen->rate : 0;
}

bool FlashWatch::takeEvents() {
    bool any = false;
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(display_.get())}) {
        note(*event);
        any = true;
    }
    return any;
}

void FlashWatch::note(const xcb_generic_event_t& event) {
    const std::uint8_t type = event.response_type & 0x7F;
    if (type != damageEvents_ + XCB_DAMAGE_NOTIFY) {
        windowsChanged_ = true;
        return;
    }
    const auto& notify = reinterpret_cast<const xcb_damage_notify_event_t&>(event);
    const int x = notify.geometry.width / 2, y = notify.geometry.height / 2;
    const Rectangle area{notify.area.x, notify.area.y, notify.area.width, notify.area.height};
    if (overlap(area, {x, y, 1, 1})) {
        drawn_ = {timeOf(notify.timestamp), static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)};
        drawnSinceLook_ = true;
    }
}

void FlashWatch::findWindow() {
    int largest = 0;
    xcb_window_t found = XCB_NONE;
    considerWindow(display_.root(), largest, found);
    if (found == XCB_NONE) {
        return;
    }
    window_ = found;
    damage_ = display_.newId();
    xcb_damage_create(display_.get(), damage_, window_, XCB_DAMAGE_REPORT_LEVEL_RAW_RECTANGLES);
    xcb_flush(display_.get());
}

/// With all that is inside it.
void FlashWatch::considerWindow(xcb_window_t window, int& largest, xcb_window_t& found) const {
    const auto owner = display_.ask(xcb_get_property, xcb_get_property_reply, std::uint8_t{0}, window,
                                    processId_, XCB_ATOM_CARDINAL, 0U, 1U);
    std::uint32_t process = 0;
    if (owner && xcb_get_property_value_length(owner.get()) == sizeof process) {
        std::memcpy(&process, xcb_get_property_value(owner.get()), sizeof process);
    }
    if (process == static_cast<std::uint32_t>(program_)) {
        const auto place = display_.ask(xcb_get_geometry, xcb_get_geometry_reply, window);
        if (place && std::min(place->width, place->height) >= kMinWindowSide &&
            place->width * place->height > largest) {
            largest = place->width * place->height;
            found = window;
        }
    }
    const auto inside = display_.ask(xcb_query_tree, xcb_query_tree_reply, window);
    const int count = inside ? xcb_query_tree_children_length(inside.get()) : 0;
    for (int i = 0; i < count; ++i) {
        considerWindow(xcb_query_tree_children(inside.get())[i], largest, found);
    }
}

bool FlashWatch::isWhite(const Drawn& drawn) const {
    constexpr std::uint32_t kAllPlanes = UINT32_MAX;
    constexpr std::uint16_t kOne = 1;
    const auto pixel = display_.ask(xcb_get_image, xcb_get_image_reply, XCB_IMAGE_FORMAT_Z_PIXMAP, window_,
                                    drawn.x, drawn.y, kOne, kOne, kAllPlanes);
    constexpr int kColours = 3;  // of 8 bits, or the upper bits of those with 10
    if (!pixel || xcb_get_image_data_length(pixel.get()) < kColours) {
        return false;
    }
    const std::uint8_t* const bytes = xcb_get_image_data(pixel.get());
    return std::all_of(bytes, bytes + kColours, [](std::uint8_t byte) { return byte >= 0x80; });
}

}  // namespace verbcast

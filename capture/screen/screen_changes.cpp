#include "capture/screen/screen_changes.h"

#include <fmt/format.h>
#include <xcb/randr.h>

#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

std::uint8_t firstEventOf(const XDisplay& display, xcb_extension_t& extension) {
    return xcb_get_extension_data(display.get(), &extension)->first_event;
}

xcb_damage_damage_t watch(const XDisplay& display, xcb_drawable_t drawable) {
    const xcb_damage_damage_t damage = display.newId();
    xcb_damage_create(display.get(), damage, drawable, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
    return damage;
}

void selectStructure(const XDisplay& display, xcb_window_t window) {
    const std::uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(display.get(), window, XCB_CW_EVENT_MASK, &mask);
}

/// Adds the parts of a region, whose coordinates are relative to x and y, that are inside the area.
void addParts(const xcb_xfixes_fetch_region_reply_t& region, int x, int y, const Rectangle& area,
              std::vector<Rectangle>& parts) {
    const xcb_rectangle_t* rectangles = xcb_xfixes_fetch_region_rectangles(&region);
    const int count = xcb_xfixes_fetch_region_rectangles_length(&region);
    for (int i = 0; i < count; ++i) {
        const Rectangle each{rectangles[i].x + x, rectangles[i].y + y, rectangles[i].width,
                             rectangles[i].height};
        if (overlap(area, each)) {
            parts.push_back(intersection(area, each));
        }
    }
}

}  // namespace

void negotiateDamage(const XDisplay& display) {
    if (!display.has(xcb_xfixes_id) || !display.has(xcb_damage_id)) {
        throw Error(ErrorKind::Display,
                    fmt::format("the X server {} lacks the extension {}", display.name(),
                                display.has(xcb_xfixes_id) ? "DAMAGE" : "XFIXES"),
                    "use an X server that has it: Xorg, Xvfb, Xwayland, TigerVNC");
    }
    display.ask(xcb_xfixes_query_version, xcb_xfixes_query_version_reply, 5, 0);
    display.ask(xcb_damage_query_version, xcb_damage_query_version_reply, 1, 1);
    display.requireAlive();
}

ScreenChanges::ScreenChanges(const XDisplay& display, const ScreenSelection& selection) : display_(display) {
    negotiateDamage(display);
    xcb_connection_t* connection = display.get();
    damageEvents_ = firstEventOf(display, xcb_damage_id);
    fixesEvents_ = firstEventOf(display, xcb_xfixes_id);
    region_ = display.newId();
    xcb_xfixes_create_region(connection, region_, 0, nullptr);
    rootDamage_ = watch(display, display.root());
    selectStructure(display, display.root());
    xcb_xfixes_select_cursor_input(connection, display.root(), XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR);
    if (display.has(xcb_randr_id)) {
        display.ask(xcb_randr_query_version, xcb_randr_query_version_reply, 1, 5);
        xcb_randr_select_input(connection, display.root(),
                               XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE |
                                   XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE);
    }
    if (const auto* window = std::get_if<OneWindow>(&selection)) {
        // A compositing manager draws windows off-screen: then only the window itself tells.
        window_ = window->id;
        windowDamage_ = watch(display, window_);
        selectStructure(display, window_);
    }
}

ScreenChanges::~ScreenChanges() {
    xcb_damage_destroy(display_.get(), rootDamage_);
    if (windowDamage_ != XCB_NONE) {
        xcb_damage_destroy(display_.get(), windowDamage_);
    }
    xcb_xfixes_destroy_region(display_.get(), region_);
    xcb_flush(display_.get());
}

void ScreenChanges::note(const xcb_generic_event_t& event) {
    const std::uint8_t type = event.response_type & 0x7F;
    news_.anything = true;
    if (type == damageEvents_ + XCB_DAMAGE_NOTIFY) {
        const auto& notify = reinterpret_cast<const xcb_damage_notify_event_t&>(event);
        (notify.damage == rootDamage_ ? rootDrawn_ : windowDrawn_) = true;
    } else if (type == fixesEvents_ + XCB_XFIXES_CURSOR_NOTIFY) {
        news_.cursorShape = true;
    } else if (type != 0) {
        // Configure, map, unmap, destroy, reparent, RandR: everything else that is selected. 0 is an error
        // for a request about a window that is gone; locating it reports that.
        news_.layout = true;
    }
}

void ScreenChanges::drainEvents() {
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(display_.get())}) {
        note(*event);
    }
}

bool ScreenChanges::somethingCame() {
    const bool before = std::exchange(news_.anything, false);
    drainEvents();
    const bool now = news_.anything;
    news_.anything |= before;
    return now;
}

/// Empties a damage object and returns its contents; null if nothing was drawn.
XReply<xcb_xfixes_fetch_region_reply_t> ScreenChanges::take(xcb_damage_damage_t damage, bool& drawn) {
    if (damage == XCB_NONE || !std::exchange(drawn, false)) {
        return nullptr;
    }
    xcb_damage_subtract(display_.get(), damage, XCB_NONE, region_);
    return display_.ask(xcb_xfixes_fetch_region, xcb_xfixes_fetch_region_reply, region_);
}

void ScreenChanges::takeDrawn(const Rectangle& area, bool onScreen) {
    if (const auto region = take(rootDamage_, rootDrawn_); region && onScreen) {
        addParts(*region, 0, 0, area, news_.drawn);
    }
    if (const auto region = take(windowDamage_, windowDrawn_)) {
        addParts(*region, area.x, area.y, area, news_.drawn);
    }
}

ScreenNews ScreenChanges::look(const Rectangle& area, bool onScreen) {
    drainEvents();
    const auto pointerCookie = xcb_query_pointer(display_.get(), display_.root());
    takeDrawn(area, onScreen);
    if (const auto pointer = display_.await(xcb_query_pointer_reply, pointerCookie)) {
        news_.pointerX = pointer->root_x;
        news_.pointerY = pointer->root_y;
    } else {
        display_.requireAlive();
    }
    return std::exchange(news_, {});
}

std::vector<Rectangle> ScreenChanges::drawnSinceLook(const Rectangle& area, bool onScreen) {
    drainEvents();
    takeDrawn(area, onScreen);
    return news_.drawn;
}

}  // namespace verbcast

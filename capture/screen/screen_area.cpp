#include "capture/screen/screen_area.h"

#include <fmt/format.h>

#include "capture/screen/monitors.h"
#include "core/base/error.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

constexpr int kMinSide = static_cast<int>(kMinDimension);
constexpr int kMaxSide = static_cast<int>(kMaxDimension);

const xcb_visualtype_t* findVisual(const xcb_screen_t& screen, xcb_visualid_t id) {
    for (auto depth = xcb_screen_allowed_depths_iterator(&screen); depth.rem > 0; xcb_depth_next(&depth)) {
        for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem > 0;
             xcb_visualtype_next(&visual)) {
            if (visual.data->visual_id == id) {
                return visual.data;
            }
        }
    }
    return nullptr;
}

bool hasWordsOf32Bits(const xcb_setup_t& setup, std::uint8_t depth) {
    for (auto format = xcb_setup_pixmap_formats_iterator(&setup); format.rem > 0; xcb_format_next(&format)) {
        if (format.data->depth == depth) {
            return format.data->bits_per_pixel == 32;
        }
    }
    return false;
}

/// Our format for the server's pixels. The remaining byte or bits are not alpha: the server may keep anything
/// there, and pictures are opaque.
PixelFormat pixelFormatOf(const XDisplay& display, std::uint8_t depth, xcb_visualid_t visualId) {
    const xcb_setup_t& setup = *xcb_get_setup(display.get());
    const xcb_visualtype_t* visual = findVisual(display.screen(), visualId);
    const bool trueColour = visual != nullptr && visual->_class == XCB_VISUAL_CLASS_TRUE_COLOR;
    if (trueColour && setup.image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST && hasWordsOf32Bits(setup, depth)) {
        if (visual->red_mask == 0xFF0000 && visual->green_mask == 0xFF00 && visual->blue_mask == 0xFF) {
            return PixelFormat::bgra;
        }
        if (visual->red_mask == 0xFF && visual->green_mask == 0xFF00 && visual->blue_mask == 0xFF0000) {
            return PixelFormat::rgba;
        }
        if (visual->red_mask == 0x3FF00000 && visual->green_mask == 0xFFC00 && visual->blue_mask == 0x3FF) {
            return PixelFormat::x2rgb10le;
        }
    }
    throw Error(
        ErrorKind::Usage,
        fmt::format("pixels of depth {}{} on {} cannot be sent: true colour of depth 24, 30 or 32 expected",
                    depth, trueColour ? "" : " with a colour map", display.name()),
        trueColour ? "set the X server's DefaultDepth to 24"
                   : "have the program choose a TrueColor visual, or send the whole screen");
}

}  // namespace

ScreenArea::ScreenArea(const XDisplay& display, ScreenSelection selection)
    : display_(display),
      selection_(std::move(selection)),
      rootFormat_(pixelFormatOf(display, display.screen().root_depth, display.screen().root_visual)) {}

std::optional<ScreenPlace> ScreenArea::locate() const {
    if (const auto* monitor = std::get_if<NamedMonitor>(&selection_)) {
        return locateMonitor(*monitor);
    }
    if (const auto* window = std::get_if<OneWindow>(&selection_)) {
        return locateWindow(*window);
    }
    if (const auto* fixed = std::get_if<FixedPart>(&selection_)) {
        return locatePart(*fixed);
    }
    return onRoot(display_.rootArea());
}

std::optional<ScreenPlace> ScreenArea::onRoot(const Rectangle& area) const {
    if (area.width < kMinSide || area.height < kMinSide || area.width > kMaxSide || area.height > kMaxSide) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} is {}x{} large: 16x16 to 16384x16384 can be sent", describe(selection_),
                                area.width, area.height),
                    "name a part: screen:rect=WIDTHxHEIGHT+X+Y");
    }
    return ScreenPlace{display_.root(), area, {}, {0, 0, area.width, area.height}, rootFormat_};
}

std::optional<ScreenPlace> ScreenArea::locateMonitor(const NamedMonitor& wanted) const {
    std::string names;
    for (const Monitor& monitor : monitorsOf(display_)) {
        if (monitor.name == wanted.name) {
            return onRoot(monitor.area);
        }
        names += (names.empty() ? "" : ", ") + monitor.name;
    }
    throw Error(ErrorKind::Usage,
                fmt::format("there is no monitor \"{}\" on the display {}", wanted.name, display_.name()),
                names.empty() ? "it has none that is switched on" : "monitors are: " + names);
}

std::optional<ScreenPlace> ScreenArea::locatePart(const FixedPart& fixed) const {
    const Rectangle screen = display_.rootArea();
    if (intersection(fixed.part, screen) != fixed.part) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} leaves the screen, which is {}x{} large", describe(selection_),
                                screen.width, screen.height),
                    fmt::format("for example screen:rect={}x{}+0+0", screen.width, screen.height));
    }
    return onRoot(fixed.part);
}

std::optional<ScreenPlace> ScreenArea::locateWindow(const OneWindow& window) const {
    xcb_connection_t* connection = display_.get();
    const auto attributesCookie = xcb_get_window_attributes(connection, window.id);
    const auto geometryCookie = xcb_get_geometry(connection, window.id);
    const auto placeCookie = xcb_translate_coordinates(connection, window.id, display_.root(), 0, 0);
    const auto rootCookie = xcb_get_geometry(connection, display_.root());
    const auto attributes = display_.await(xcb_get_window_attributes_reply, attributesCookie);
    const auto geometry = display_.await(xcb_get_geometry_reply, geometryCookie);
    const auto place = display_.await(xcb_translate_coordinates_reply, placeCookie);
    const auto root = display_.await(xcb_get_geometry_reply, rootCookie);
    if (!attributes || !geometry || !place || !root) {
        display_.requireAlive();
        throw Error(ErrorKind::Usage,
                    fmt::format("there is no {} on the display {}", describe(selection_), display_.name()),
                    "xwininfo shows the number of the window that you click; xwininfo -root -tree lists all");
    }
    if (attributes->_class == XCB_WINDOW_CLASS_INPUT_ONLY) {
        throw Error(ErrorKind::Usage, describe(selection_) + " only takes input and has no picture",
                    "name the window that it lies over");
    }
    const Rectangle area{place->dst_x, place->dst_y, geometry->width, geometry->height};
    const Rectangle visible = intersection(area, {0, 0, root->width, root->height}).movedBy(-area.x, -area.y);
    if (attributes->map_state != XCB_MAP_STATE_VIEWABLE || visible.empty() || area.width < kMinSide ||
        area.height < kMinSide || area.width > kMaxSide || area.height > kMaxSide) {
        return std::nullopt;
    }
    return ScreenPlace{window.id,
                       area,
                       area,
                       visible,
                       pixelFormatOf(display_, geometry->depth, attributes->visual),
                       geometry->border_width};
}

}  // namespace verbcast

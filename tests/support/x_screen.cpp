#include "tests/support/x_screen.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

namespace verbcast::testing {
namespace {

std::uint32_t colourMask(PixelFormat format) {
    return format == PixelFormat::x2rgb10le ? 0x3FFFFFFF : 0xFFFFFF;
}

std::uint32_t bigEndian(const std::string& bytes, std::size_t word) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value = value << 8 | static_cast<unsigned char>(bytes.at(word * 4 + i));
    }
    return value;
}

}  // namespace

Picture Picture::part(const Rectangle& area) const {
    Picture result{area.width, area.height, {}};
    for (int y = 0; y < area.height; ++y) {
        for (int x = 0; x < area.width; ++x) {
            result.pixels.push_back(at(area.x + x, area.y + y));
        }
    }
    return result;
}

Picture noisePicture(int width, int height, std::uint32_t seed) {
    Picture picture{width, height, {}};
    std::mt19937 random(seed);
    for (int i = 0; i < width * height; ++i) {
        picture.pixels.push_back(static_cast<std::uint32_t>(random()) & 0xFFFFFF);
    }
    return picture;
}

std::string difference(const Picture& got, const Picture& expected) {
    if (got.width != expected.width || got.height != expected.height) {
        return fmt::format("{}x{} instead of {}x{}", got.width, got.height, expected.width, expected.height);
    }
    for (int y = 0; y < got.height; ++y) {
        for (int x = 0; x < got.width; ++x) {
            if (got.at(x, y) != expected.at(x, y)) {
                return fmt::format("at {}, {}: {:08x} instead of {:08x}", x, y, got.at(x, y),
                                   expected.at(x, y));
            }
        }
    }
    return "";
}

Picture pictureOf(const CapturedFrame& frame) {
    const VideoFormat& format = frame.format;
    Picture picture{static_cast<int>(format.width), static_cast<int>(format.height), {}};
    picture.pixels.resize(std::size_t{format.width} * format.height);
    for (std::uint32_t y = 0; y < format.height; ++y) {
        std::memcpy(&picture.at(0, static_cast<int>(y)),
                    frame.lease.data() + format.planes[0].offset + std::size_t{y} * format.planes[0].stride,
                    std::size_t{format.width} * 4);
    }
    for (std::uint32_t& pixel : picture.pixels) {
        pixel &= colourMask(format.pixelFormat);
    }
    return picture;
}

XServer::XServer(const std::string& screen, const std::vector<std::string>& more) : xvfb_(screen, more) {
    ::setenv("DISPLAY", display().c_str(), 1);
    ::unsetenv("WAYLAND_DISPLAY");  // belongs to the desktop that the tests run on
    ::unsetenv("XDG_SESSION_TYPE");
}

Picture XServer::xwd() const {
    ChildProcess program({"xwd", "-root", "-silent"});
    if (program.waitForEnd() != 0) {
        throw std::runtime_error("xwd failed: " + program.errors());
    }
    // XWDFile.h: a header of big-endian words, colours of 12 bytes each, then rows.
    enum Word {
        HeaderSize = 0,
        Depth = 3,
        Width = 4,
        Height = 5,
        ByteOrder = 7,
        Bits = 11,
        RowBytes = 12,
        Colours = 19
    };
    const std::string dump = program.output();
    Picture picture{static_cast<int>(bigEndian(dump, Width)), static_cast<int>(bigEndian(dump, Height)), {}};
    const std::size_t rowBytes = bigEndian(dump, RowBytes);
    const std::size_t start = bigEndian(dump, HeaderSize) + bigEndian(dump, Colours) * 12;
    if (bigEndian(dump, Bits) != 32 || bigEndian(dump, ByteOrder) != 0 ||
        dump.size() != start + rowBytes * static_cast<std::size_t>(picture.height)) {
        throw std::runtime_error("xwd gives no picture of 32 bits a pixel, least significant byte first");
    }
    const std::uint32_t mask = bigEndian(dump, Depth) == 30 ? 0x3FFFFFFF : 0xFFFFFF;
    picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
    for (int y = 0; y < picture.height; ++y) {
        std::memcpy(&picture.at(0, y), dump.data() + start + rowBytes * static_cast<std::size_t>(y),
                    static_cast<std::size_t>(picture.width) * 4);
    }
    for (std::uint32_t& pixel : picture.pixels) {
        pixel &= mask;
    }
    return picture;
}

XClient::XClient() = default;

xcb_window_t XClient::showWindow(const Rectangle& place, std::uint32_t colour, std::uint32_t events) {
    const xcb_window_t window = display_.newId();
    const std::array<std::uint32_t, 3> values{colour, 1, events};
    xcb_create_window(get(), XCB_COPY_FROM_PARENT, window, display_.root(),
                      static_cast<std::int16_t>(place.x), static_cast<std::int16_t>(place.y),
                      static_cast<std::uint16_t>(place.width), static_cast<std::uint16_t>(place.height), 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                      XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values.data());
    xcb_map_window(get(), window);
    display_.synchronise();
    return window;
}

void XClient::fill(xcb_window_t window, const Rectangle& part, std::uint32_t colour) {
    const xcb_gcontext_t context = display_.newId();
    xcb_create_gc(get(), context, window, XCB_GC_FOREGROUND, &colour);
    const xcb_rectangle_t rectangle{static_cast<std::int16_t>(part.x), static_cast<std::int16_t>(part.y),
                                    static_cast<std::uint16_t>(part.width),
                                    static_cast<std::uint16_t>(part.height)};
    xcb_poly_fill_rectangle(get(), window, context, 1, &rectangle);
    xcb_free_gc(get(), context);
    display_.synchronise();
}

void XClient::draw(xcb_window_t window, const Picture& picture) {
    const xcb_gcontext_t context = display_.newId();
    xcb_create_gc(get(), context, window, 0, nullptr);
    for (int y = 0; y < picture.height; ++y) {  // a row is smaller than the largest request
        xcb_put_image(
            get(), XCB_IMAGE_FORMAT_Z_PIXMAP, window, context, static_cast<std::uint16_t>(picture.width), 1,
            0, static_cast<std::int16_t>(y), 0, display_.screen().root_depth,
            static_cast<std::uint32_t>(picture.width) * 4,
            reinterpret_cast<const std::uint8_t*>(
                &picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width)]));
    }
    xcb_free_gc(get(), context);
    display_.synchronise();
}

void XClient::moveWindow(xcb_window_t window, const Rectangle& place) {
    const std::array<std::uint32_t, 4> values{
        static_cast<std::uint32_t>(place.x), static_cast<std::uint32_t>(place.y),
        static_cast<std::uint32_t>(place.width), static_cast<std::uint32_t>(place.height)};
    xcb_configure_window(
        get(), window,
        XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
        values.data());
    display_.synchronise();
}

void XClient::hide(xcb_window_t window) {
    xcb_unmap_window(get(), window);
    display_.synchronise();
}

void XClient::destroy(xcb_window_t window) {
    xcb_destroy_window(get(), window);
    display_.synchronise();
}

void XClient::focus(xcb_window_t window) {
    xcb_set_input_focus(get(), XCB_INPUT_FOCUS_NONE, window, XCB_CURRENT_TIME);
    display_.synchronise();
}

void XClient::movePointer(int x, int y) {
    xcb_warp_pointer(get(), XCB_NONE, display_.root(), 0, 0, 0, 0, static_cast<std::int16_t>(x),
                     static_cast<std::int16_t>(y));
    display_.synchronise();
}

void XClient::setPointerShape(std::uint16_t glyph) {
    const xcb_font_t font = display_.newId();
    const std::string name = "cursor";
    xcb_open_font(get(), font, static_cast<std::uint16_t>(name.size()), name.data());
    const xcb_cursor_t cursor = display_.newId();
    xcb_create_glyph_cursor(get(), cursor, font, font, glyph, static_cast<std::uint16_t>(glyph + 1), 0xFFFF,
                            0x8000, 0, 0, 0x4000, 0xFFFF);
    xcb_change_window_attributes(get(), display_.root(), XCB_CW_CURSOR, &cursor);
    xcb_free_cursor(get(), cursor);
    xcb_close_font(get(), font);
    display_.synchronise();
}

Pointer XClient::pointer() const {
    const XReply<xcb_xfixes_query_version_reply_t> version(
        xcb_xfixes_query_version_reply(get(), xcb_xfixes_query_version(get(), 5, 0), nullptr));
    const XReply<xcb_xfixes_get_cursor_image_reply_t> reply(
        xcb_xfixes_get_cursor_image_reply(get(), xcb_xfixes_get_cursor_image(get()), nullptr));
    if (!reply) {
        throw std::runtime_error("the X server has no pointer");
    }
    const std::uint32_t* pixels = xcb_xfixes_get_cursor_image_cursor_image(reply.get());
    return {{reply->x - reply->xhot, reply->y - reply->yhot, reply->width, reply->height},
            {pixels, pixels + xcb_xfixes_get_cursor_image_cursor_image_length(reply.get())}};
}

void XServer::addMonitor(const std::string& name, const Rectangle& area) const {
    ChildProcess program({"xrandr", "--setmonitor", name,
                          fmt::format("{}/100x{}/100+{}+{}", area.width, area.height, area.x, area.y),
                          "none"});
    if (program.waitForEnd() != 0) {
        throw std::runtime_error("xrandr failed: " + program.errors());
    }
}

bool XClient::isKeyDown(xcb_keycode_t code) const {
    const XReply<xcb_query_keymap_reply_t> reply(
        xcb_query_keymap_reply(get(), xcb_query_keymap(get()), nullptr));
    return reply && (reply->keys[code / 8] >> (code % 8) & 1) != 0;
}

std::uint32_t XClient::state() const {
    const XReply<xcb_query_pointer_reply_t> reply(
        xcb_query_pointer_reply(get(), xcb_query_pointer(get(), display_.root()), nullptr));
    return reply ? reply->mask : 0U;
}

std::vector<XReply<xcb_generic_event_t>> XClient::events() {
    display_.synchronise();
    std::vector<XReply<xcb_generic_event_t>> list;
    while (XReply<xcb_generic_event_t> event{xcb_poll_for_event(get())}) {
        list.push_back(std::move(event));
    }
    return list;
}

Picture withPointer(Picture picture, const Pointer& pointer) {
    for (int y = 0; y < pointer.place.height; ++y) {
        for (int x = 0; x < pointer.place.width; ++x) {
            const int left = pointer.place.x + x;
            const int top = pointer.place.y + y;
            if (left < 0 || top < 0 || left >= picture.width || top >= picture.height) {
                continue;
            }
            const std::uint32_t source = pointer.argb[static_cast<std::size_t>(y * pointer.place.width + x)];
            const double below = 1.0 - (source >> 24) / 255.0;
            std::uint32_t result = 0;
            for (const unsigned shift : {0U, 8U, 16U}) {
                const double value =
                    (source >> shift & 0xFF) + below * (picture.at(left, top) >> shift & 0xFF);
                result |= static_cast<std::uint32_t>(std::lround(std::min(value, 255.0))) << shift;
            }
            picture.at(left, top) = result;
        }
    }
    return picture;
}

}  // namespace verbcast::testing

// A real X server without a monitor, a client that draws on it, and its screen as xwd sees it.
#pragma once

#include <xcb/xcb.h>
#include <xcb/xfixes.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/screen/rectangle.h"
#include "capture/screen/x_display.h"
#include "tests/support/xvfb.h"

namespace verbcast::testing {

/// Pixels as 32-bit words, without the bits that hold no colour.
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;

    std::uint32_t& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
    std::uint32_t at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
    Picture part(const Rectangle& area) const;
    friend bool operator==(const Picture&, const Picture&) = default;
};

/// Random pixels with 8 bits per component.
Picture noisePicture(int width, int height, std::uint32_t seed);

/// Describes the first difference, or "" if the pictures are equal.
std::string difference(const Picture& got, const Picture& expected);

/// The picture of a frame with 32-bit pixels.
Picture pictureOf(const CapturedFrame& frame);

/// Xvfb on a free display, which $DISPLAY then names. Ends with this object.
class XServer {
  public:
    /// `screen`: "640x480x24"; `more`: further options of Xvfb.
    explicit XServer(const std::string& screen, const std::vector<std::string>& more = {});
    const std::string& display() const { return xvfb_.display(); }

    /// Ends it now, as a crash would.
    void end() { xvfb_.end(); }

    /// The whole screen without the pointer, as the program xwd sees it.
    Picture xwd() const;

    /// Makes a part of the screen count as a monitor.
    void addMonitor(const std::string& name, const Rectangle& area) const;

  private:
    Xvfb xvfb_;
};

/// The server's pointer.
struct Pointer {
    Rectangle place;
    std::vector<std::uint32_t> argb;
};

/// A program with windows. Functions return after the server has carried everything out.
class XClient {
  public:
    XClient();

    xcb_connection_t* get() const { return display_.get(); }
    const XDisplay& display() const { return display_; }

    /// Shows a window in front, on the root, untouched by window managers.
    xcb_window_t showWindow(const Rectangle& place, std::uint32_t colour, std::uint32_t events = 0);
    void fill(xcb_window_t window, const Rectangle& part, std::uint32_t colour);
    void draw(xcb_window_t window, const Picture& picture);
    void moveWindow(xcb_window_t window, const Rectangle& place);
    void hide(xcb_window_t window);
    void destroy(xcb_window_t window);
    void focus(xcb_window_t window);
    void movePointer(int x, int y);
    /// `glyph` is from the server's cursor font: 68 is an arrow, 30 a cross.
    void setPointerShape(std::uint16_t glyph);
    Pointer pointer() const;
    bool isKeyDown(xcb_keycode_t code) const;
    /// Modifiers and buttons.
    std::uint32_t state() const;

    /// The events that have come, including everything that others caused before the call.
    std::vector<XReply<xcb_generic_event_t>> events();

  private:
    XDisplay display_;
};

/// The picture with the pointer over it, computed independently.
Picture withPointer(Picture picture, const Pointer& pointer);

}  // namespace verbcast::testing

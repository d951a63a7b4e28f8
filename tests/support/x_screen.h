// A real X server without a monitor, a client that draws on it, and what its screen shows, as xwd sees it.
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

/// Pixels as 32-bit words without the bits that are no colour.
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;

    std::uint32_t& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
    std::uint32_t at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
    Picture part(const Rectangle& area) const;
    friend bool operator==(const Picture&, const Picture&) = default;
};

/// Pixels that differ from each other, of 8 bits a component.
Picture noisePicture(int width, int height, std::uint32_t seed);

/// The first difference in words, or "" when the pictures are equal.
std::string difference(const Picture& got, const Picture& expected);

/// A frame of 32-bit pixels.
Picture pictureOf(const CapturedFrame& frame);

/// Xvfb on a display that was free; $DISPLAY names it. Ends with this object.
class XServer {
  public:
    /// `screen`: "640x480x24"; `more`: options of Xvfb.
    explicit XServer(const std::string& screen, const std::vector<std::string>& more = {});
    const std::string& display() const { return xvfb_.display(); }

    /// Ends it now, as a crash would.
    void end() { xvfb_.end(); }

    /// Everything on the screen, by the program xwd: without the pointer.
    Picture xwd() const;

    /// A part of the screen that counts as a monitor.
    void addMonitor(const std::string& name, const Rectangle& area) const;

  private:
    Xvfb xvfb_;
};

/// The pointer as the server has it.
struct Pointer {
    Rectangle place;
    std::vector<std::uint32_t> argb;
};

/// A program with windows. Everything has been carried out by the server when a function returns.
class XClient {
  public:
    XClient();

    xcb_connection_t* get() const { return display_.get(); }
    const XDisplay& display() const { return display_; }

    /// A window on the root that no window manager touches, shown and in front.
    xcb_window_t showWindow(const Rectangle& place, std::uint32_t colour, std::uint32_t events = 0);
    void fill(xcb_window_t window, const Rectangle& part, std::uint32_t colour);
    void draw(xcb_window_t window, const Picture& picture);
    void moveWindow(xcb_window_t window, const Rectangle& place);
    void hide(xcb_window_t window);
    void destroy(xcb_window_t window);
    void focus(xcb_window_t window);
    void movePointer(int x, int y);
    /// Of the server's cursor font: 68 is an arrow, 30 a cross.
    void setPointerShape(std::uint16_t glyph);
    Pointer pointer() const;
    bool isKeyDown(xcb_keycode_t code) const;
    /// Modifiers and buttons.
    std::uint32_t state() const;

    /// Events that have come; all that others caused before are among them.
    std::vector<XReply<xcb_generic_event_t>> events();

  private:
    XDisplay display_;
};

/// The picture with the pointer over it, computed on its own.
Picture withPointer(Picture picture, const Pointer& pointer);

}  // namespace verbcast::testing

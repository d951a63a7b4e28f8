// A connection to an X server; replies are owned values.
#pragma once

#include <xcb/xcb.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "capture/screen/rectangle.h"

namespace verbcast {

struct FreeXReply {
    void operator()(void* reply) const { std::free(reply); }
};
/// What xcb_*_reply() returns; null if the request failed.
template <typename Reply>
using XReply = std::unique_ptr<Reply, FreeXReply>;

/// Long enough for a display across a network.
inline constexpr std::chrono::milliseconds kDisplayPatience{5000};

/// Whether WAYLAND_DISPLAY or XDG_SESSION_TYPE says so. DISPLAY is then Xwayland's at best.
bool isWaylandSession();

/// Used by one thread at a time.
class XDisplay {
  public:
    /// Connects to $DISPLAY. Throws Error{Display} with the remedy if there is none, also in a Wayland
    /// session, or if it refuses us or does not answer in time.
    explicit XDisplay(std::chrono::milliseconds patience = kDisplayPatience);

    xcb_connection_t* get() const { return connection_.get(); }
    const std::string& name() const { return name_; }
    const xcb_screen_t& screen() const { return *screen_; }
    xcb_window_t root() const { return screen_->root; }
    /// The root window's current area, from the server.
    Rectangle rootArea() const;
    /// Whether it is on this machine: descriptors and shared memory can be passed to it.
    bool isLocal() const;
    /// Readable when events have come that are not yet queued.
    int descriptor() const { return xcb_get_file_descriptor(get()); }
    std::uint32_t newId() const { return xcb_generate_id(get()); }

    /// Sends a request and waits for its reply: ask(xcb_query_tree, xcb_query_tree_reply, window).
    template <typename Reply, typename Cookie, typename... Fields>
    XReply<Reply> ask(Cookie (*request)(xcb_connection_t*, Fields...),
                      Reply* (*reply)(xcb_connection_t*, Cookie, xcb_generic_error_t**),
                      std::type_identity_t<Fields>... fields) const {
        return await(reply, request(get(), fields...));
    }
    /// Waits for the reply to a request sent before: await(xcb_query_tree_reply, cookie).
    template <typename Reply, typename Cookie>
    XReply<Reply> await(Reply* (*reply)(xcb_connection_t*, Cookie, xcb_generic_error_t**),
                        std::type_identity_t<Cookie> cookie) const {
        return XReply<Reply>(reply(get(), cookie, nullptr));
    }
    /// Waits until the server has carried out a checked request. False: it has refused.
    bool carriesOut(xcb_void_cookie_t request) const {
        return XReply<xcb_generic_error_t>(xcb_request_check(get(), request)) == nullptr;
    }

    /// The server's name for an atom.
    std::string atomName(xcb_atom_t atom) const;
    /// Whether the server has the extension. Asks only once.
    bool has(xcb_extension_t& extension) const;
    /// Returns when the server has carried out all earlier requests.
    void synchronise() const { ask(xcb_get_input_focus, xcb_get_input_focus_reply); }
    /// Throws Error{Display} if the server is gone.
    void requireAlive() const;

  private:
    struct Disconnect {
        void operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }
    };
    using Connection = std::unique_ptr<xcb_connection_t, Disconnect>;

    std::string name_;
    Connection connection_;
    const xcb_screen_t* screen_ = nullptr;  // owned by the connection
};

}  // namespace verbcast

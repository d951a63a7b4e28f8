// A connection to an X server, and what it answers as owned values.
#pragma once

#include <xcb/xcb.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "capture/screen/rectangle.h"

namespace verbcast {

struct FreeXReply {
    void operator()(void* reply) const { std::free(reply); }
};
/// What xcb_*_reply() returns; null when the request failed.
template <typename Reply>
using XReply = std::unique_ptr<Reply, FreeXReply>;

/// Long enough for a display across a network.
inline constexpr std::chrono::milliseconds kDisplayPatience{5000};

/// WAYLAND_DISPLAY or XDG_SESSION_TYPE says so. DISPLAY is then Xwayland's at best.
bool isWaylandSession();

/// Belongs to one thread at a time.
class XDisplay {
  public:
    /// Connects to $DISPLAY. Throws Error{Display} with the remedy when there is none, in a Wayland session
    /// without one, and when it does not let us in or does not answer in time.
    explicit XDisplay(std::chrono::milliseconds patience = kDisplayPatience);

    xcb_connection_t* get() const { return connection_.get(); }
    const std::string& name() const { return name_; }
    const xcb_screen_t& screen() const { return *screen_; }
    xcb_window_t root() const { return screen_->root; }
    /// The root window as it is now, from the server.
    Rectangle rootArea() const;
    /// On this machine: descriptors and shared memory can be handed to the server.
    bool isLocal() const;
    /// Readable when events have come that are not in the queue yet.
    int descriptor() const { return xcb_get_file_descriptor(get()); }
    std::uint32_t newId() const { return xcb_generate_id(get()); }
    /// The server's name for an atom.
    std::string atomName(xcb_atom_t atom) const;
    /// The server has the extension. Asks it only once.
    bool has(xcb_extension_t& extension) const;
    /// Returns when the server has carried out all that was asked before.
    void synchronise() const;
    /// Throws Error{Display} when the server is gone.
    void requireAlive() const;

  private:
    struct Disconnect {
        void operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }
    };
    using Connection = std::unique_ptr<xcb_connection_t, Disconnect>;

    std::string name_;
    Connection connection_;
    const xcb_screen_t* screen_ = nullptr;  // the connection's
};

}  // namespace verbcast

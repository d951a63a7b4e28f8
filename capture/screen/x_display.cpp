#include "capture/screen/x_display.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <future>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kCheckDisplay =
    "check DISPLAY and that this user may use it: as its owner, xhost +si:localuser:USER";

bool isSet(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::string displayName() {
    if (isSet("DISPLAY")) {
        return std::getenv("DISPLAY");
    }
    if (isWaylandSession()) {
        throw Error(ErrorKind::Display,
                    "this is a Wayland session without an X display: monitors, windows and rectangles of X "
                    "cannot be captured",
                    "verbcast send screen:portal, and choose in the desktop's own dialog");
    }
    throw Error(ErrorKind::Display, "there is no X display: DISPLAY is not set",
                "start it in the desktop's session, or name its display: DISPLAY=:0 verbcast ...");
}

const char* connectionProblem(int code) {
    switch (code) {
        case XCB_CONN_CLOSED_PARSE_ERR:
            return "the name is not understood";
        case XCB_CONN_CLOSED_INVALID_SCREEN:
            return "it has no screen of that number";
        default:
            return "nobody answers there, or access is refused";
    }
}

}  // namespace

bool isWaylandSession() {
    const char* type = std::getenv("XDG_SESSION_TYPE");
    return isSet("WAYLAND_DISPLAY") || (type != nullptr && std::string_view(type) == "wayland");
}

XDisplay::XDisplay(std::chrono::milliseconds patience) : name_(displayName()) {
    // xcb_connect() has no timeout: a thread of its own may keep waiting for a host that does not answer.
    using Opened = std::pair<Connection, int>;
    std::packaged_task<Opened()> connect([name = name_] {
        int number = 0;
        Connection connection(xcb_connect(name.c_str(), &number));
        return Opened(std::move(connection), number);
    });
    std::future<Opened> opened = connect.get_future();
    std::thread(std::move(connect)).detach();
    if (opened.wait_for(patience) != std::future_status::ready) {
        throw Error(ErrorKind::Display, fmt::format("the display {} does not answer", name_), kCheckDisplay);
    }
    int number = 0;
    std::tie(connection_, number) = opened.get();
    if (const int code = xcb_connection_has_error(get()); code != 0) {
        throw Error(ErrorKind::Display,
                    fmt::format("the display {} cannot be opened: {}", name_, connectionProblem(code)),
                    kCheckDisplay);
    }
    auto screens = xcb_setup_roots_iterator(xcb_get_setup(get()));
    for (; number > 0 && screens.rem > 1; --number) {
        xcb_screen_next(&screens);
    }
    screen_ = screens.data;
}

Rectangle XDisplay::rootArea() const {
    const auto reply = ask(xcb_get_geometry, xcb_get_geometry_reply, root());
    if (!reply) {
        requireAlive();
        return {};
    }
    return {0, 0, reply->width, reply->height};
}

bool XDisplay::isLocal() const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return ::getsockname(descriptor(), reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
           address.ss_family == AF_UNIX;
}

std::string XDisplay::atomName(xcb_atom_t atom) const {
    const auto reply = ask(xcb_get_atom_name, xcb_get_atom_name_reply, atom);
    return reply ? std::string(xcb_get_atom_name_name(reply.get()),
                               static_cast<std::size_t>(xcb_get_atom_name_name_length(reply.get())))
                 : std::string();
}

bool XDisplay::has(xcb_extension_t& extension) const {
    const xcb_query_extension_reply_t* data = xcb_get_extension_data(get(), &extension);
    return data != nullptr && data->present != 0;
}

void XDisplay::requireAlive() const {
    if (xcb_connection_has_error(get()) != 0) {
        throw Error(ErrorKind::Display, fmt::format("the X server {} is gone", name_));
    }
}

}  // namespace verbcast

#include "tests/window/drag_source.h"

#include <poll.h>
#include <xcb/xcb.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace verbcast::testing {
namespace {

constexpr int kAnswerMilliseconds = 20'000;
constexpr std::uint32_t kXdndVersion = 5;

template <typename T>
using Reply = std::unique_ptr<T, decltype(&std::free)>;

class DragSource {
  public:
    DragSource(const QString& display, const QString& type, QByteArray data)
        : connection_(xcb_connect(display.toUtf8().constData(), nullptr), &xcb_disconnect),
          type_(atom(type.toStdString())),
          data_(std::move(data)) {
        const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection_.get())).data;
        root_ = screen->root;
        source_ = xcb_generate_id(connection_.get());
        xcb_create_window(connection_.get(), XCB_COPY_FROM_PARENT, source_, root_, 0, 0, 1, 1, 0,
                          XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
        xcb_set_selection_owner(connection_.get(), source_, atom("XdndSelection"), XCB_CURRENT_TIME);
    }

    bool drop(const QPoint& onto) {
        target_ = awareAt(onto);
        const auto at = static_cast<std::uint32_t>(onto.x() << 16 | onto.y());
        send("XdndEnter", {source_, kXdndVersion << 24, type_, XCB_ATOM_NONE, XCB_ATOM_NONE});
        send("XdndPosition", {source_, 0, at, XCB_CURRENT_TIME, atom("XdndActionCopy")});
        const bool wanted = (awaitMessage("XdndStatus").data32[1] & 1) != 0;
        if (wanted) {
            send("XdndDrop", {source_, 0, XCB_CURRENT_TIME, 0, 0});
            static_cast<void>(awaitMessage("XdndFinished"));
        } else {
            send("XdndLeave", {source_, 0, 0, 0, 0});
        }
        return wanted;
    }

  private:
    xcb_atom_t atom(const std::string& name) {
        const Reply<xcb_intern_atom_reply_t> reply(
            xcb_intern_atom_reply(
                connection_.get(),
                xcb_intern_atom(connection_.get(), 0, static_cast<std::uint16_t>(name.size()), name.c_str()),
                nullptr),
            &std::free);
        return reply->atom;
    }

    /// The outermost XdndAware window under the point, searching down from the root window.
    xcb_window_t awareAt(const QPoint& point) {
        const xcb_atom_t aware = atom("XdndAware");
        for (xcb_window_t window = root_; window != XCB_NONE;) {
            const Reply<xcb_get_property_reply_t> version(
                xcb_get_property_reply(
                    connection_.get(),
                    xcb_get_property(connection_.get(), 0, window, aware, XCB_ATOM_ATOM, 0, 1), nullptr),
                &std::free);
            if (version && version->value_len > 0) {
                return window;
            }
            const Reply<xcb_translate_coordinates_reply_t> under(
                xcb_translate_coordinates_reply(
                    connection_.get(),
                    xcb_translate_coordinates(connection_.get(), root_, window,
                                              static_cast<std::int16_t>(point.x()),
                                              static_cast<std::int16_t>(point.y())),
                    nullptr),
                &std::free);
            window = under ? under->child : XCB_NONE;
        }
        throw std::runtime_error("no window there takes what is dropped");
    }

    void send(const std::string& message, const std::array<std::uint32_t, 5>& data) {
        xcb_client_message_event_t event{};
        event.response_type = XCB_CLIENT_MESSAGE;
        event.format = 32;
        event.window = target_;
        event.type = atom(message);
        std::copy(data.begin(), data.end(), event.data.data32);
        xcb_send_event(connection_.get(), 0, target_, XCB_EVENT_MASK_NO_EVENT,
                       reinterpret_cast<const char*>(&event));
        xcb_flush(connection_.get());
    }

    /// Waits for the message and answers requests for the data meanwhile.
    xcb_client_message_data_t awaitMessage(const std::string& message) {
        const xcb_atom_t wanted = atom(message);
        for (;;) {
            while (
                const Reply<xcb_generic_event_t> event{xcb_poll_for_event(connection_.get()), &std::free}) {
                const int type = event->response_type & ~0x80;
                if (type == XCB_SELECTION_REQUEST) {
                    answer(*reinterpret_cast<const xcb_selection_request_event_t*>(event.get()));
                } else if (type == XCB_CLIENT_MESSAGE) {
                    const auto& told = *reinterpret_cast<const xcb_client_message_event_t*>(event.get());
                    if (told.type == wanted) {
                        return told.data;
                    }
                }
            }
            pollfd readable{xcb_get_file_descriptor(connection_.get()), POLLIN, 0};
            if (::poll(&readable, 1, kAnswerMilliseconds) != 1) {
                throw std::runtime_error("the window does not answer with " + message);
            }
        }
    }

    void answer(const xcb_selection_request_event_t& request) {
        xcb_selection_notify_event_t notice{};
        notice.response_type = XCB_SELECTION_NOTIFY;
        notice.time = request.time;
        notice.requestor = request.requestor;
        notice.selection = request.selection;
        notice.target = request.target;
        if (request.target == type_) {
            xcb_change_property(connection_.get(), XCB_PROP_MODE_REPLACE, request.requestor, request.property,
                                type_, 8, static_cast<std::uint32_t>(data_.size()), data_.constData());
            notice.property = request.property;
        }
        xcb_send_event(connection_.get(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT,
                       reinterpret_cast<const char*>(&notice));
        xcb_flush(connection_.get());
    }

    std::unique_ptr<xcb_connection_t, decltype(&xcb_disconnect)> connection_;
    xcb_atom_t type_;
    QByteArray data_;
    xcb_window_t root_ = XCB_NONE, source_ = XCB_NONE, target_ = XCB_NONE;
};

}  // namespace

bool dragAndDrop(const QString& display, const QPoint& onto, const QString& type, const QByteArray& data) {
    return DragSource(display, type, data).drop(onto);
}

}  // namespace verbcast::testing

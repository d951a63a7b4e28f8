// A desktop's XSETTINGS manager that sets a theme for all programs on its X server.
#pragma once

#include <xcb/xcb.h>

#include <QByteArray>
#include <QDataStream>
#include <QIODevice>
#include <QString>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace verbcast::testing {

/// An _XSETTINGS_SETTINGS property: a number and a colour, then the theme.
inline QByteArray xSettingsProperty(const QByteArray& theme, QDataStream::ByteOrder order) {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setByteOrder(order);
    const auto put = [&](const QByteArray& text) {
        stream.writeRawData(text.constData(), static_cast<int>(text.size()));
        stream.writeRawData("\0\0\0", (4 - static_cast<int>(text.size()) % 4) % 4);
    };
    const auto begin = [&](quint8 type, const QByteArray& name) {
        stream << type << quint8{0} << static_cast<quint16>(name.size());
        put(name);
        stream << quint32{0};  // serial number
    };
    const quint8 orderMark =
        order == QDataStream::LittleEndian ? XCB_IMAGE_ORDER_LSB_FIRST : XCB_IMAGE_ORDER_MSB_FIRST;
    stream << orderMark << quint8{0} << quint16{0} << quint32{0} << quint32{3};
    begin(0, "Net/DoubleClickTime");
    stream << quint32{400};
    begin(2, "Test/Colour");
    stream << quint16{1} << quint16{2} << quint16{3} << quint16{4};
    begin(1, "Net/ThemeName");
    stream << static_cast<quint32>(theme.size());
    put(theme);
    return bytes;
}

/// Exists from construction to destruction.
class XSettingsManager {
  public:
    XSettingsManager(const QString& display, const QByteArray& theme)
        : connection_(xcb_connect(display.toUtf8().constData(), nullptr), &xcb_disconnect),
          window_(xcb_generate_id(connection_.get())) {
        xcb_connection_t* const x = connection_.get();
        if (xcb_connection_has_error(x) != 0) {
            throw std::runtime_error("cannot connect to " + display.toStdString());
        }
        const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(x)).data->root;
        const xcb_atom_t selection = atom("_XSETTINGS_S0");
        xcb_create_window(x, XCB_COPY_FROM_PARENT, window_, root, -1, -1, 1, 1, 0,
                          XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0, nullptr);
        setTheme(theme);
        xcb_set_selection_owner(x, window_, selection, XCB_CURRENT_TIME);
        xcb_client_message_event_t announcement{};
        announcement.response_type = XCB_CLIENT_MESSAGE;
        announcement.format = 32;
        announcement.window = root;
        announcement.type = atom("MANAGER");
        announcement.data.data32[1] = selection;
        announcement.data.data32[2] = window_;
        xcb_send_event(x, 0, root, XCB_EVENT_MASK_STRUCTURE_NOTIFY,
                       reinterpret_cast<const char*>(&announcement));
        xcb_flush(x);
    }

    void setTheme(const QByteArray& theme) {
        const QByteArray bytes = xSettingsProperty(theme, QDataStream::BigEndian);
        const xcb_atom_t property = atom("_XSETTINGS_SETTINGS");
        xcb_change_property(connection_.get(), XCB_PROP_MODE_REPLACE, window_, property, property, 8,
                            static_cast<std::uint32_t>(bytes.size()), bytes.constData());
        xcb_flush(connection_.get());
    }

  private:
    xcb_atom_t atom(const QByteArray& name) const {
        const auto cookie =
            xcb_intern_atom(connection_.get(), 0, static_cast<std::uint16_t>(name.size()), name.constData());
        const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&std::free)> reply(
            xcb_intern_atom_reply(connection_.get(), cookie, nullptr), &std::free);
        if (!reply) {
            throw std::runtime_error("the X server makes no atom " + name.toStdString());
        }
        return reply->atom;
    }

    std::unique_ptr<xcb_connection_t, decltype(&xcb_disconnect)> connection_;
    xcb_window_t window_;
};

}  // namespace verbcast::testing

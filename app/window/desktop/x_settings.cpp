#include "app/window/desktop/x_settings.h"

#include <QDataStream>
#include <QGuiApplication>
#include <QIODevice>

#include "app/window/desktop/xcb_properties.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMaxWords = 64 << 10;
enum Type : quint8 { kInteger, kText, kColour };

/// Adds events to those that Qt listens to. Returns false if the window is gone.
bool listenTo(xcb_connection_t* connection, xcb_window_t window, std::uint32_t events) {
    const XcbReply<xcb_get_window_attributes_reply_t> attributes(
        xcb_get_window_attributes_reply(connection, xcb_get_window_attributes(connection, window), nullptr));
    if (!attributes) {
        return false;
    }
    events |= attributes->your_event_mask;
    const XcbReply<xcb_generic_error_t> error(xcb_request_check(
        connection, xcb_change_window_attributes_checked(connection, window, XCB_CW_EVENT_MASK, &events)));
    return !error;
}

/// Texts are padded to words of four bytes.
QByteArray takeText(QDataStream& stream, quint32 length) {
    if (length > stream.device()->bytesAvailable()) {
        stream.setStatus(QDataStream::ReadPastEnd);
        return {};
    }
    QByteArray text(static_cast<qsizetype>(length), Qt::Uninitialized);
    stream.readRawData(text.data(), static_cast<int>(length));
    stream.skipRawData(static_cast<int>(-length & 3U));
    return text;
}

}  // namespace

QByteArray xSettingsText(const QByteArray& property, const QByteArray& name) {
    QDataStream stream(property);
    quint8 order = 0;
    stream >> order;
    stream.setByteOrder(order == XCB_IMAGE_ORDER_LSB_FIRST ? QDataStream::LittleEndian
                                                           : QDataStream::BigEndian);
    stream.skipRawData(3 + 4);  // padding, serial number
    quint32 settings = 0;
    stream >> settings;
    for (quint32 i = 0; i < settings && stream.status() == QDataStream::Ok; ++i) {
        quint8 type = 0;
        quint16 length = 0;
        stream >> type;
        stream.skipRawData(1);
        stream >> length;
        const QByteArray key = takeText(stream, length);
        stream.skipRawData(4);  // serial number
        if (type == kText) {
            quint32 size = 0;
            stream >> size;
            QByteArray value = takeText(stream, size);
            if (key == name) {
                return value;
            }
        } else if (type == kInteger || type == kColour) {
            stream.skipRawData(type == kInteger ? 4 : 8);
        } else {
            break;
        }
    }
    return {};
}

XSettings::XSettings(QObject* parent) : QObject(parent) {
    xcb_connection_t* connection = xConnection();
    if (connection == nullptr) {
        return;
    }
    managerAtom_ = newXcbAtom(connection, "MANAGER");
    selection_ = newXcbAtom(connection, "_XSETTINGS_S0");
    settings_ = newXcbAtom(connection, "_XSETTINGS_SETTINGS");
    qGuiApp->installNativeEventFilter(this);
    // A new manager announces itself there.
    listenTo(connection, xRoot(connection), XCB_EVENT_MASK_STRUCTURE_NOTIFY);
    findManager();
}

void XSettings::findManager() {
    xcb_connection_t* connection = xConnection();
    const XcbReply<xcb_get_selection_owner_reply_t> reply(
        xcb_get_selection_owner_reply(connection, xcb_get_selection_owner(connection, selection_), nullptr));
    manager_ = reply ? reply->owner : static_cast<xcb_window_t>(XCB_WINDOW_NONE);
    if (manager_ != XCB_WINDOW_NONE &&
        !listenTo(connection, manager_, XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY)) {
        manager_ = XCB_WINDOW_NONE;
    }
    property_ = manager_ == XCB_WINDOW_NONE
                    ? QByteArray()
                    : xcbProperty(connection, manager_, settings_, settings_, kMaxWords);
    Q_EMIT changed();
}

bool XSettings::nativeEventFilter(const QByteArray& type, void* message, qintptr* /*result*/) {
    if (type != "xcb_generic_event_t") {
        return false;
    }
    const auto* event = static_cast<const xcb_generic_event_t*>(message);
    bool ours = false;
    switch (event->response_type & 0x7fU) {  // without the bit that marks events sent by a program
        case XCB_PROPERTY_NOTIFY: {
            const auto* property = static_cast<const xcb_property_notify_event_t*>(message);
            ours = property->window == manager_ && property->atom == settings_;
            break;
        }
        case XCB_DESTROY_NOTIFY:
            ours = static_cast<const xcb_destroy_notify_event_t*>(message)->window == manager_;
            break;
        case XCB_CLIENT_MESSAGE: {
            const auto* announcement = static_cast<const xcb_client_message_event_t*>(message);
            ours = announcement->type == managerAtom_ && announcement->data.data32[1] == selection_;
            break;
        }
        default:
            break;
    }
    if (ours) {
        findManager();
    }
    return false;
}

}  // namespace verbcast

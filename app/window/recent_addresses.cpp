#include "app/window/recent_addresses.h"

#include <QSettings>

namespace verbcast {
namespace {

QString keyOf(AddressUse use) {
    switch (use) {
        case AddressUse::View:
            return "connect/recent";
        case AddressUse::SendTo:
            return "send/recent_viewers";
        case AddressUse::Listen:
            break;
    }
    return "send/recent_listening";
}

}  // namespace

QStringList recentAddresses(AddressUse use) {
    return QSettings().value(keyOf(use)).toStringList();
}

void rememberAddress(AddressUse use, const QString& address) {
    if (address.isEmpty()) {
        return;
    }
    QStringList recent = recentAddresses(use);
    recent.removeAll(address);
    recent.prepend(address);
    QSettings().setValue(keyOf(use), recent.mid(0, kMaxRecentAddresses));
}

void forgetAddress(AddressUse use, const QString& address) {
    QStringList recent = recentAddresses(use);
    recent.removeAll(address);
    QSettings().setValue(keyOf(use), recent);
}

}  // namespace verbcast

#include "app/window/settings/recent_addresses.h"

#include <QSettings>
#include <algorithm>

namespace verbcast {
namespace {

constexpr const char* kStreams = "view/recent";

QString keyOf(AddressUse use) {
    return use == AddressUse::SendTo ? "send/recent_viewers" : "send/recent_listening";
}

void keep(const QList<RecentStream>& streams) {
    QSettings settings;
    settings.remove(kStreams);
    settings.beginWriteArray(kStreams);
    for (int i = 0; i < streams.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue("address", streams[i].address);
        settings.setValue("listen", streams[i].listen);
    }
    settings.endArray();
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

QList<RecentStream> recentStreams() {
    QSettings settings;
    QList<RecentStream> streams;
    const int count = settings.beginReadArray(kStreams);
    for (int i = 0; i < std::min(count, kMaxRecentAddresses); ++i) {
        settings.setArrayIndex(i);
        streams.append({settings.value("address").toString(), settings.value("listen").toBool()});
    }
    settings.endArray();
    return streams;
}

void rememberStream(const RecentStream& stream) {
    if (stream.address.isEmpty()) {
        return;
    }
    QList<RecentStream> recent = recentStreams();
    recent.removeAll(stream);
    recent.prepend(stream);
    keep(recent.mid(0, kMaxRecentAddresses));
}

void forgetStream(const RecentStream& stream) {
    QList<RecentStream> recent = recentStreams();
    recent.removeAll(stream);
    keep(recent);
}

}  // namespace verbcast

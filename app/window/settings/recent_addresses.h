// Addresses that were used, newest first, in the user's settings.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace verbcast {

inline constexpr int kMaxRecentAddresses = 10;

/// Of what was sent.
enum class AddressUse {
    SendTo,  ///< a viewer that was connected to
    Listen,  ///< where viewers were waited for
};
QStringList recentAddresses(AddressUse use);
/// An empty one is not remembered.
void rememberAddress(AddressUse use, const QString& address);

/// What was viewed: a sender that was connected to, or waited for.
struct RecentStream {
    QString address;
    bool listen = false;

    friend bool operator==(const RecentStream&, const RecentStream&) = default;
};
QList<RecentStream> recentStreams();
/// Likewise.
void rememberStream(const RecentStream& stream);
void forgetStream(const RecentStream& stream);

}  // namespace verbcast

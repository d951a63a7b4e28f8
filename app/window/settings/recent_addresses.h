// Recently used addresses in the user's settings, newest first.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace verbcast {

inline constexpr int kMaxRecentAddresses = 10;

/// For sending.
enum class AddressUse {
    SendTo,  ///< a viewer to connect to
    Listen,  ///< where to wait for viewers
};
QStringList recentAddresses(AddressUse use);
/// Ignores an empty address.
void rememberAddress(AddressUse use, const QString& address);

/// A stream viewed: from a sender that was connected to or waited for.
struct RecentStream {
    QString address;
    bool listen = false;
    /// Several senders that were opened together, with spaces between their addresses.
    bool isOfSeveral() const { return address.contains(' '); }

    friend bool operator==(const RecentStream&, const RecentStream&) = default;
};
QList<RecentStream> recentStreams();
/// Ignores an empty address.
void rememberStream(const RecentStream& stream);
void forgetStream(const RecentStream& stream);

}  // namespace verbcast

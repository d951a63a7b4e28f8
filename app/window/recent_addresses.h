// Addresses that were used, newest first, in the user's settings.
#pragma once

#include <QString>
#include <QStringList>

namespace verbcast {

enum class AddressUse {
    View,    ///< a sender that was watched, or waited for
    SendTo,  ///< a viewer that was connected to
    Listen,  ///< where viewers were waited for
};

inline constexpr int kMaxRecentAddresses = 10;

QStringList recentAddresses(AddressUse use);
/// An empty one is not remembered.
void rememberAddress(AddressUse use, const QString& address);
void forgetAddress(AddressUse use, const QString& address);

}  // namespace verbcast

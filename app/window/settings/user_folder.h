// The user's folders for pictures and films.
#pragma once

#include <QStandardPaths>
#include <QString>

namespace verbcast {

/// Made if need be; the current one if it cannot be made or written.
QString userFolder(QStandardPaths::StandardLocation location);

}  // namespace verbcast

// The user's folders for pictures and films.
#pragma once

#include <QStandardPaths>
#include <QString>

namespace verbcast {

/// Creates it if need be; the current folder if it cannot be created or written.
QString userFolder(QStandardPaths::StandardLocation location);

}  // namespace verbcast

#include "app/window/settings/user_folder.h"

#include <QDir>
#include <QFileInfo>

namespace verbcast {

QString userFolder(QStandardPaths::StandardLocation location) {
    const QString folder = QStandardPaths::writableLocation(location);
    QDir().mkpath(folder);
    const QFileInfo info(folder);
    return info.isDir() && info.isWritable() ? folder : QDir::currentPath();
}

}  // namespace verbcast

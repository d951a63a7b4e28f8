#include "app/window/trust/key_file_watch.h"

#include <QDir>
#include <QFileInfo>

#include "core/base/error.h"
#include "core/session/trust/session_key.h"

namespace verbcast {
namespace {

std::optional<Message> problemOf(const QString& file) {
    if (file.isEmpty()) {
        return std::nullopt;
    }
    if (!QFileInfo::exists(file)) {
        return Message{.title = KeyFileWatch::tr("No key yet"),
                       .text = KeyFileWatch::tr("There is no file %1").arg(file),
                       .remedy = KeyFileWatch::tr("make a key on the page of keys, or choose another file"),
                       .alarming = true};
    }
    try {
        static_cast<void>(SessionKey::fromFile(file.toStdString()));
        return std::nullopt;
    } catch (const Error& error) {
        Message message = errorMessage(error);
        message.title = KeyFileWatch::tr("This key cannot be used");
        message.remedy = QString::fromStdString(error.remedy());  // may begin with a command: not capitalized
        return message;
    }
}

/// The file's folder, or its nearest existing ancestor.
QString existingFolder(const QString& file) {
    QString folder = QFileInfo(file).absolutePath();
    while (!QFileInfo::exists(folder)) {
        folder = QFileInfo(folder).absolutePath();
    }
    return folder;
}

}  // namespace

KeyFileWatch::KeyFileWatch(QObject* parent) : QObject(parent) {
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &KeyFileWatch::look);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &KeyFileWatch::look);
}

void KeyFileWatch::setFile(const QString& file) {
    if (file != file_) {
        file_ = file;
        look();
    }
}

void KeyFileWatch::look() {
    // Replaced files and new folders must be added again.
    if (const QStringList watched = watcher_.files() + watcher_.directories(); !watched.isEmpty()) {
        watcher_.removePaths(watched);
    }
    if (!file_.isEmpty()) {
        watcher_.addPath(existingFolder(file_));
        if (QFileInfo::exists(file_)) {
            watcher_.addPath(file_);
        }
    }
    problem_ = problemOf(file_);
    Q_EMIT changed();
}

}  // namespace verbcast

// Watches a key file and reports problems with it.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <optional>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// Follows a file that may appear, disappear or change permissions. Belongs to the GUI thread.
class KeyFileWatch : public QObject {
    Q_OBJECT
  public:
    explicit KeyFileWatch(QObject* parent = nullptr);

    /// Empty: no file.
    void setFile(const QString& file);
    const QString& file() const { return file_; }
    /// Why the file cannot be used; nullopt if it is good or there is none.
    const std::optional<Message>& problem() const { return problem_; }

  Q_SIGNALS:
    /// The file may have changed.
    void changed();

  private:
    void look();

    QString file_;
    std::optional<Message> problem_;
    QFileSystemWatcher watcher_;
};

}  // namespace verbcast

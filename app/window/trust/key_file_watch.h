// A file that is to hold a key: what is wrong with it now, and when that changes.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <optional>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// Follows a file that may come, go, or get other permissions. Belongs to the GUI thread.
class KeyFileWatch : public QObject {
    Q_OBJECT
  public:
    explicit KeyFileWatch(QObject* parent = nullptr);

    /// Empty: none.
    void setFile(const QString& file);
    const QString& file() const { return file_; }
    /// Why it cannot be used; nothing for a good one and for none.
    const std::optional<Message>& problem() const { return problem_; }

  Q_SIGNALS:
    /// The file may be another than before.
    void changed();

  private:
    void look();

    QString file_;
    std::optional<Message> problem_;
    QFileSystemWatcher watcher_;
};

}  // namespace verbcast

// Copies a secret, and takes it back after a while.
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>

namespace verbcast {

/// Every program of the session can read the clipboard. What was copied is removed after `kept`, or with this
/// object, unless something else is there by then. Belongs to the GUI thread.
class SecretClipboard : public QObject {
    Q_OBJECT
  public:
    explicit SecretClipboard(std::chrono::milliseconds kept = std::chrono::seconds(60),
                             QObject* parent = nullptr);
    ~SecretClipboard() override;

    void copy(const QString& secret);

  Q_SIGNALS:
    /// The clipboard no longer holds it.
    void cleared();

  private:
    void clear();

    std::chrono::milliseconds kept_;
    QTimer timer_;
    QString secret_;  // empty: there is none of ours
};

}  // namespace verbcast

// Copies a secret to the clipboard and removes it after a while.
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>

namespace verbcast {

/// Every program of the session can read the clipboard. The secret is removed after `kept`, or when this
/// object is destroyed, unless the clipboard holds something else by then. Belongs to the GUI thread.
class SecretClipboard : public QObject {
    Q_OBJECT
  public:
    explicit SecretClipboard(std::chrono::milliseconds kept = std::chrono::seconds(60),
                             QObject* parent = nullptr);
    ~SecretClipboard() override;

    void copy(const QString& secret);

  Q_SIGNALS:
    /// The clipboard no longer holds the secret.
    void cleared();

  private:
    void clear();

    std::chrono::milliseconds kept_;
    QTimer timer_;
    QString secret_;  // empty: the clipboard holds none of ours
};

}  // namespace verbcast

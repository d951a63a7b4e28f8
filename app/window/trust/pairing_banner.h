// The one-time code that another host has to type, large enough to be read out.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <optional>

#include "app/window/trust/secret_clipboard.h"
#include "core/session/trust/trust.h"

namespace verbcast {

/// Hidden until there is a code, and again when its time is over. Belongs to the GUI thread.
class PairingBanner : public QFrame {
    Q_OBJECT
  public:
    explicit PairingBanner(QWidget* parent = nullptr);

    /// `host`: who asked, as plain text. `code`: in its groups. `seconds`: how long it remains valid.
    void setCode(const QString& host, const QString& code, int seconds);
    /// The same of what can be typed now; clears when there is nothing.
    void follow(const std::optional<PairingInvitation>& invitation);
    /// It was used, or is not wanted any more.
    void clear();

  Q_SIGNALS:
    /// The time is over; nobody has typed it.
    void expired();

  private:
    void countDown();
    void showRemaining();

    QLabel* host_;
    QLabel* code_;
    QLabel* remaining_;
    QPushButton* copy_;
    SecretClipboard clipboard_;
    QTimer second_;
    QString shownHost_;
    int seconds_ = 0;
};

}  // namespace verbcast

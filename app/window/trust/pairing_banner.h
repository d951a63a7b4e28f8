// Shows the one-time code to type at another host, large enough to be read out.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <optional>

#include "app/window/trust/secret_clipboard.h"
#include "core/session/trust/trust.h"

namespace verbcast {

/// Hidden until there is a code and after it expires. Belongs to the GUI thread.
class PairingBanner : public QFrame {
    Q_OBJECT
  public:
    explicit PairingBanner(QWidget* parent = nullptr);

    /// `host`: who asked, as plain text. `code`: in groups. `seconds`: how long it remains valid.
    void setCode(const QString& host, const QString& code, int seconds);
    /// The same for the current invitation; nullopt hides the banner.
    void follow(const std::optional<PairingInvitation>& invitation);
    /// Call when the code was used or is no longer wanted.
    void clear();

  Q_SIGNALS:
    /// The code expired without being typed.
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

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

    /// Shows the invitation of now, and who asked for it; nullopt hides the banner.
    void follow(const std::optional<PairingInvitation>& invitation);
    /// Call when the code was used or is no longer wanted.
    void clear();

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

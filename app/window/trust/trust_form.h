// What the pages ask about keys: which one, whether pictures are encrypted, whether anybody is let in, and
// what those may do who are.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QWidget>
#include <array>

#include "app/window/settings/session.h"
#include "app/window/trust/key_field.h"

namespace verbcast {

class TrustForm : public QWidget {
    Q_OBJECT
  public:
    explicit TrustForm(QWidget* parent = nullptr);

    TrustSettings settings() const;
    void setSettings(const TrustSettings& settings);
    /// Only who listens can let anybody in.
    void setListening(bool listening);
    /// The chosen key can be used, or there is none. The field tells what is wrong.
    bool usable() const { return !key_->problem(); }

  Q_SIGNALS:
    void changed();

  private:
    QWidget* makeGrants();
    QWidget* makeWarning();
    void follow();

    KeyField* key_;
    QCheckBox* encrypt_;
    QCheckBox* open_;
    QWidget* warning_;
    std::array<QCheckBox*, 3> may_{};  // view, send, input
    QWidget* grants_;
    bool listening_ = true;
};

}  // namespace verbcast

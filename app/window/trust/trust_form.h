// Settings of trust on the pages: the key, whether pictures are encrypted, whether anybody may connect, and
// what those who connect may do.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QWidget>
#include <array>

#include "app/window/parts/field_bindings.h"
#include "app/window/settings/session.h"
#include "app/window/trust/key_field.h"

namespace verbcast {

class TrustForm : public QWidget {
    Q_OBJECT
  public:
    explicit TrustForm(QWidget* parent = nullptr);

    TrustSettings settings() const;
    void setSettings(const TrustSettings& settings);
    void useKey(const QString& file) { key_->setFile(file); }
    /// Only a listening side can let anybody in.
    void setListening(bool listening);
    /// True if the chosen key is usable or there is none. The field shows what is wrong.
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
    FieldBindings<TrustSettings> fields_;
    bool listening_ = true;
};

}  // namespace verbcast

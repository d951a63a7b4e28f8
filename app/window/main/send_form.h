// All settings for sending.
#pragma once

#include <QCheckBox>
#include <QRadioButton>

#include "app/window/main/sound_inputs.h"
#include "app/window/main/source_form.h"
#include "app/window/parts/field_bindings.h"
#include "app/window/trust/trust_form.h"

namespace verbcast {

class SendForm : public QWidget {
    Q_OBJECT
  public:
    explicit SendForm(QWidget* parent = nullptr);

    SendSettings settings() const;
    void setSettings(const SendSettings& settings);
    /// Reloads the recent addresses.
    void listAddresses();
    void focusFirst() { source_->setFocus(); }
    /// See TrustForm::usable().
    bool keyUsable() const { return trust_->usable(); }
    void useKey(const QString& file) { trust_->useKey(file); }
    /// Asks for the consent that the source needs, by name. True if it has it.
    bool hasConsent();

  Q_SIGNALS:
    /// A setting has changed.
    void changed();
    /// Enter was pressed in the address field.
    void confirmed();

  private:
    void makePicture(FormGrid& grid);
    void makeDelivery(FormGrid& grid);
    void connectParts();
    void followSource();
    void followDirection();

    SourceForm* source_;
    ChoiceCombo* size_;
    ChoiceCombo* format_;
    ChoiceCombo* rate_;
    ChoiceCombo* sound_;
    SoundInputs soundInputs_;
    QRadioButton* listen_;
    QRadioButton* connect_;
    ChoiceCombo* address_;
    QString otherAddress_;  // of the direction not selected
    ChoiceCombo* policy_;
    QCheckBox* allowInput_;
    TrustForm* trust_;
    QCheckBox* preview_;
    FieldBindings<SendSettings> fields_;
};

}  // namespace verbcast

// Chooses the source to send, with the settings of each kind of source.
#pragma once

#include <QCheckBox>
#include <QStackedWidget>

#include "app/window/parts/field_bindings.h"
#include "app/window/parts/form.h"
#include "app/window/settings/session.h"

namespace verbcast {

class SourceForm : public QWidget {
    Q_OBJECT
  public:
    explicit SourceForm(QWidget* parent = nullptr);

    SourceKind kind() const;
    /// Sets those fields of `settings` that this form has.
    void read(SendSettings& settings) const;
    void show(const SendSettings& settings);
    /// What needs the user's consent (see needsConsent()) and lacks it: it came with show(), and the user has
    /// neither changed it nor consented.
    QString awaitsConsent() const;
    void consent() { shown_.removeAll(awaitsConsent()); }

  Q_SIGNALS:
    void changed();

  private:
    FormGrid& addPage(const QString& label, QWidget* field, QWidget* below = nullptr);
    QWidget* makeFileField();
    void browse();

    ChoiceCombo* kind_;
    QStackedWidget* pages_;
    ChoiceCombo* pattern_;
    QLineEdit* file_;
    QCheckBox* loop_;
    ChoiceCombo* decoder_;
    ChoiceCombo* screen_;
    ChoiceCombo* camera_;
    ChoiceCombo* scene_;
    QLineEdit* program_;
    FieldBindings<SendSettings> fields_;
    QStringList shown_;  // the file and program that came with show()
};

/// A camera for each of this machine's current Video4Linux2 devices; an empty value means the first.
QList<Choice> cameraChoices();

}  // namespace verbcast

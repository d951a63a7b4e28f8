// Which source is sent, and what only that kind of source can be told.
#pragma once

#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>

#include "app/window/parts/choice_combo.h"
#include "app/window/parts/form.h"
#include "app/window/settings/session.h"

namespace verbcast {

class SourceForm : public QWidget {
    Q_OBJECT
  public:
    explicit SourceForm(QWidget* parent = nullptr);

    SourceKind kind() const;
    /// Sets the fields of `settings` that this form has.
    void read(SendSettings& settings) const;
    void show(const SendSettings& settings);

  Q_SIGNALS:
    void changed();

  private:
    void addPage(const QString& label, QWidget* field, QWidget* below = nullptr);
    QWidget* makeFileField();
    void browse();
    void listScreens();
    void listCameras();

    ChoiceCombo* kind_;
    QStackedWidget* pages_;
    ChoiceCombo* pattern_;
    QLineEdit* file_;
    QCheckBox* loop_;
    ChoiceCombo* screen_;
    ChoiceCombo* camera_;
    ChoiceCombo* scene_;
    QLineEdit* program_;
};

/// A camera for each Video4Linux2 device that this machine has now, the first that is found for an empty
/// value.
QList<Choice> cameraChoices();

}  // namespace verbcast

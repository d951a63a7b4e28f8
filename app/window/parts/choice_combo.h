// A combo box whose entries stand for values.
#pragma once

#include <QComboBox>
#include <QList>
#include <QString>
#include <QStringList>

namespace verbcast {

struct Choice {
    QString label;
    QString value;
    QString explanation{};  ///< tool tip of the entry
};

/// Choices whose labels are their values.
QList<Choice> plainChoices(const QStringList& values);
/// How far a picture is turned on a display, clockwise: values "0" to "270".
QList<Choice> rotationChoices();

/// If editable, typed text is its own value.
class ChoiceCombo : public QComboBox {
    Q_OBJECT
  public:
    enum class Typing { Allowed, No };
    ChoiceCombo(const QString& name, const QString& explanation, Typing typing, QWidget* parent = nullptr);

    /// Keeps the current value.
    void setChoices(const QList<Choice>& choices);
    QString value() const;
    /// A value that is not among the choices is shown as it is.
    void setValue(const QString& value);

    void showPopup() override;

  Q_SIGNALS:
    void valueChanged();
    /// The list is about to open: update it now.
    void listWanted();
};

}  // namespace verbcast

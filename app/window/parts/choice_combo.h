// A combo box whose entries stand for values.
#pragma once

#include <QComboBox>
#include <QList>
#include <QString>

namespace verbcast {

struct Choice {
    QString label;
    QString value;
    QString explanation{};  ///< tool tip of the entry
};

/// Editable or not; what is typed stands for itself.
class ChoiceCombo : public QComboBox {
    Q_OBJECT
  public:
    enum class Typing { Allowed, No };
    ChoiceCombo(const QString& name, const QString& explanation, Typing typing, QWidget* parent = nullptr);

    /// The value stays what it was.
    void setChoices(const QList<Choice>& choices);
    QString value() const;
    /// One that is not among the choices is shown as it is.
    void setValue(const QString& value);

    void showPopup() override;

  Q_SIGNALS:
    void valueChanged();
    /// The list is about to be seen: a good moment to bring it up to date.
    void listWanted();
};

}  // namespace verbcast

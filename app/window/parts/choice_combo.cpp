#include "app/window/parts/choice_combo.h"

#include <QLineEdit>
#include <QSignalBlocker>

#include "app/window/style/theme.h"

namespace verbcast {

QList<Choice> plainChoices(const QStringList& values) {
    QList<Choice> choices;
    for (const QString& value : values) {
        choices.append({value, value});
    }
    return choices;
}

QList<Choice> rotationChoices() {
    return {{ChoiceCombo::tr("not"), "0"}, {"90\u00b0", "90"}, {"180\u00b0", "180"}, {"270\u00b0", "270"}};
}

ChoiceCombo::ChoiceCombo(const QString& name, const QString& explanation, Typing typing, QWidget* parent)
    : QComboBox(parent) {
    setAccessibleName(name);
    setToolTip(explanation);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
    setMaxVisibleItems(20);
    if (typing == Typing::Allowed) {
        setEditable(true);
        setInsertPolicy(QComboBox::NoInsert);
        lineEdit()->setAccessibleName(name);
        setCompleter(nullptr);  // it would complete 1920x108 to 1920x1080
        connect(this, &QComboBox::editTextChanged, this, &ChoiceCombo::valueChanged);
    } else {
        connect(this, &QComboBox::currentIndexChanged, this, &ChoiceCombo::valueChanged);
    }
}

void ChoiceCombo::setChoices(const QList<Choice>& choices) {
    const QString kept = value();
    {
        const QSignalBlocker quiet(this);
        clear();
        for (const Choice& choice : choices) {
            addItem(choice.label, choice.value);
            setItemData(count() - 1, choice.explanation, Qt::ToolTipRole);
        }
        setValue(kept);
    }
    if (value() != kept) {
        Q_EMIT valueChanged();
    }
}

QString ChoiceCombo::value() const {
    const QString text = currentText().trimmed();
    const int index = isEditable() ? findText(text) : currentIndex();
    return index >= 0 ? itemData(index).toString() : text;
}

void ChoiceCombo::setValue(const QString& value) {
    int index = findData(value);
    if (index < 0 && !isEditable() && !value.isEmpty()) {
        addItem(value, value);
        index = count() - 1;
    }
    if (index >= 0) {
        setCurrentIndex(index);
    } else if (isEditable()) {
        setEditText(value);
    }
    if (isEditable() && index >= 0) {
        setEditText(itemText(index));
    }
}

void ChoiceCombo::showPopup() {
    Q_EMIT listWanted();
    QComboBox::showPopup();
}

}  // namespace verbcast

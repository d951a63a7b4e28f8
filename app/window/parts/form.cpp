#include "app/window/parts/form.h"

#include <QHBoxLayout>
#include <QLineEdit>

#include "app/window/style/theme.h"

namespace verbcast {

FormGrid::FormGrid() {
    const int line = theme::line();
    setContentsMargins(0, 0, 0, 0);
    setHorizontalSpacing(line * 3 / 4);
    setVerticalSpacing(line / 3);
    setColumnMinimumWidth(0, line * 5);
    setColumnStretch(1, 1);
}

QLabel* FormGrid::addField(const QString& label, QWidget* field) {
    auto* name = new QLabel(label);
    name->setBuddy(field->focusProxy() != nullptr ? field->focusProxy() : field);
    name->setToolTip(field->toolTip());
    const int row = rowCount();
    addWidget(name, row, 0);
    addWidget(field, row, 1);
    return name;
}

void FormGrid::addField(QWidget* field) {
    addWidget(field, rowCount(), 1);
}

void FormGrid::addHeading(const QString& text) {
    auto* heading = new QLabel(text);
    heading->setIndent(0);
    heading->setFont(theme::font(1.0, QFont::DemiBold));
    theme::setTone(*heading, theme::Tone::Accent);
    heading->setStyleSheet(QString("padding-top: %1px; padding-bottom: %2px;")
                               .arg(rowCount() > 1 ? theme::line() / 2 : 0)
                               .arg(theme::line() / 6));
    addWidget(heading, rowCount(), 0, 1, 2);
}

QWidget* sideBySide(std::initializer_list<QWidget*> fields) {
    auto* group = new QWidget;
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::line() / 3);
    for (QWidget* field : fields) {
        row->addWidget(field, 1);
    }
    group->setFocusProxy(*fields.begin());
    return group;
}

void nameNumber(QAbstractSpinBox& field, const QString& name, const QString& explanation) {
    field.setAccessibleName(name);
    field.findChild<QLineEdit*>()->setAccessibleName(name);  // this one has the keyboard focus
    field.setToolTip(explanation);
}

QLabel* mutedLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    theme::setTone(*label, theme::Tone::Muted);
    return label;
}

QPushButton* primaryButton(const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setFont(theme::font(1.05, QFont::DemiBold));
    button->setProperty("primary", true);  // selected by the theme's style sheet
    button->setMinimumHeight(theme::line() * 2);
    return button;
}

}  // namespace verbcast

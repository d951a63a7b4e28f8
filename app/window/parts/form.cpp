#include "app/window/parts/form.h"

#include <QLineEdit>
#include <QScrollArea>

#include "app/window/style/theme.h"

namespace verbcast {
namespace {

template <typename Box>
Box* filled(Box* box, int spacing, std::initializer_list<Part> parts) {
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(spacing);
    for (const Part& part : parts) {
        part.addTo(*box);
    }
    return box;
}

}  // namespace

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
    QLabel* heading = headingLabel(text);
    heading->setStyleSheet(QString("padding-top: %1px; padding-bottom: %2px;")
                               .arg(rowCount() > 1 ? theme::line() / 2 : 0)
                               .arg(theme::line() / 6));
    addWidget(heading, rowCount(), 0, 1, 2);
}

void Part::addTo(QBoxLayout& box) const {
    if (widget_ != nullptr) {
        box.addWidget(widget_, share_);
    } else if (layout_ != nullptr) {
        box.addLayout(layout_, share_);
    } else if (pixels_ > 0) {
        box.addSpacing(pixels_);
    } else {
        box.addStretch(share_);
    }
}

QHBoxLayout* rowOf(int spacing, std::initializer_list<Part> parts) {
    return filled(new QHBoxLayout, spacing, parts);
}

QVBoxLayout* columnOf(int spacing, std::initializer_list<Part> parts) {
    return filled(new QVBoxLayout, spacing, parts);
}

QWidget* panelOf(QLayout* layout, QWidget* parent) {
    auto* panel = new QWidget(parent);
    panel->setLayout(layout);
    return panel;
}

void layOutPage(QWidget& page, QWidget* form, QWidget* results) {
    const int line = theme::line();
    QHBoxLayout* row = rowOf(line * 5 / 4, {form, Part(results, 1)});
    row->setContentsMargins(line, line * 3 / 4, line, line * 3 / 4);
    page.setLayout(row);
}

QWidget* formSide(QWidget* page, std::initializer_list<Part> parts) {
    QWidget* side = panelOf(columnOf(theme::line() / 2, parts), page);
    side->setFixedWidth(theme::line() * 22);
    return side;
}

QWidget* scrolled(QWidget* form, QWidget* parent) {
    auto* scroll = new QScrollArea(parent);
    scroll->setWidget(form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
}

void layOutDialog(QDialog& dialog, std::initializer_list<Part> parts) {
    const int line = theme::line();
    QVBoxLayout* column = columnOf(line / 2, parts);
    column->setContentsMargins(line * 3 / 2, line * 5 / 4, line * 3 / 2, line);
    column->setSizeConstraint(QLayout::SetFixedSize);
    dialog.setLayout(column);
}

QWidget* sideBySide(std::initializer_list<QWidget*> fields) {
    QHBoxLayout* row = rowOf(theme::line() / 3, {});
    for (QWidget* field : fields) {
        row->addWidget(field, 1);
    }
    QWidget* group = panelOf(row, nullptr);
    group->setFocusProxy(*fields.begin());
    return group;
}

void nameNumber(QAbstractSpinBox& field, const QString& name, const QString& explanation) {
    field.setAccessibleName(name);
    field.findChild<QLineEdit*>()->setAccessibleName(name);  // this one has the keyboard focus
    field.setToolTip(explanation);
}

QLabel* headingLabel(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    label->setIndent(0);
    label->setFont(theme::font(1.0, QFont::DemiBold));
    theme::setTone(*label, theme::Tone::Accent);
    return label;
}

QLabel* plainLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
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

// What the pages' forms are made of: headings, rows with a label, and panels.
#pragma once

#include <QAbstractSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <initializer_list>

namespace verbcast {

/// Rows of a label, whose mnemonic leads to the field, and the field.
class FormGrid : public QGridLayout {
  public:
    FormGrid();
    /// Returns the label, so that it can be hidden with the field.
    QLabel* addField(const QString& label, QWidget* field);
    /// A field below others, without a label of its own.
    void addField(QWidget* field);
    void addHeading(const QString& text);
};

/// Fields of one row, with the first one's focus.
QWidget* sideBySide(std::initializer_list<QWidget*> fields);
/// What it is called, for people and for screen readers, and what it is for.
void nameNumber(QAbstractSpinBox& field, const QString& name, const QString& explanation);

QLabel* mutedLabel(const QString& text, QWidget* parent = nullptr);
/// The button that a page is about.
QPushButton* primaryButton(const QString& text, QWidget* parent = nullptr);

}  // namespace verbcast

// Building blocks of the pages' forms: headings, labelled rows and panels.
#pragma once

#include <QAbstractSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <initializer_list>

namespace verbcast {

/// Rows of a label, whose mnemonic focuses the field, and the field.
class FormGrid : public QGridLayout {
  public:
    FormGrid();
    /// Returns the label, so that the caller can hide it with the field.
    QLabel* addField(const QString& label, QWidget* field);
    /// Adds a field below others, without a label.
    void addField(QWidget* field);
    void addHeading(const QString& text);
};

/// Puts fields into one row; focusing the row focuses the first.
QWidget* sideBySide(std::initializer_list<QWidget*> fields);
/// Sets the field's name, also for screen readers, and its explanation.
void nameNumber(QAbstractSpinBox& field, const QString& name, const QString& explanation);

QLabel* mutedLabel(const QString& text, QWidget* parent = nullptr);
/// The page's main button.
QPushButton* primaryButton(const QString& text, QWidget* parent = nullptr);

}  // namespace verbcast

// What the pages' forms are made of: headings, rows with a label, and panels.
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

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

QLabel* mutedLabel(const QString& text, QWidget* parent = nullptr);
/// The button that a page is about.
QPushButton* primaryButton(const QString& text, QWidget* parent = nullptr);

}  // namespace verbcast

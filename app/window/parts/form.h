// Building blocks of pages, panels and dialogs: rows and columns, labelled fields, labels and buttons.
#pragma once

#include <QAbstractSpinBox>
#include <QBoxLayout>
#include <QDialog>
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

/// A widget, a layout or space in a row or column. `share`: of the room that is left over.
class Part {
  public:
    Part(QWidget* widget, int share = 0) : widget_(widget), share_(share) {}
    Part(QLayout* layout, int share = 0) : layout_(layout), share_(share) {}
    static Part space(int pixels) { return {pixels, 0}; }
    static Part rest() { return {0, 1}; }

    void addTo(QBoxLayout& box) const;

  private:
    Part(int pixels, int share) : pixels_(pixels), share_(share) {}

    QWidget* widget_ = nullptr;
    QLayout* layout_ = nullptr;
    int pixels_ = 0;
    int share_;
};

/// Layouts without margins of their own.
QHBoxLayout* rowOf(int spacing, std::initializer_list<Part> parts);
QVBoxLayout* columnOf(int spacing, std::initializer_list<Part> parts);
/// A new widget with that layout.
QWidget* panelOf(QLayout* layout, QWidget* parent);

/// Lays out a page of the main window.
void layOutPage(QWidget& page, QWidget* form, QWidget* results);
/// The left side of a page, and a form in it that scrolls on screens that are lower.
QWidget* formSide(QWidget* page, std::initializer_list<Part> parts);
QWidget* scrolled(QWidget* form, QWidget* parent);
/// Lays out a dialog, which cannot be resized.
void layOutDialog(QDialog& dialog, std::initializer_list<Part> parts);

/// Puts fields into one row; focusing the row focuses the first.
QWidget* sideBySide(std::initializer_list<QWidget*> fields);
/// Sets the field's name, also for screen readers, and its explanation.
void nameNumber(QAbstractSpinBox& field, const QString& name, const QString& explanation);

/// In the form of FormGrid's headings.
QLabel* headingLabel(const QString& text, QWidget* buddy = nullptr);
/// For text of peers and files: plain, wrapped, can be selected.
QLabel* plainLabel(QWidget* parent);
QLabel* mutedLabel(const QString& text, QWidget* parent = nullptr);
/// The page's main button.
QPushButton* primaryButton(const QString& text, QWidget* parent = nullptr);
/// A button that calls `slot` of its parent.
template <typename Parent>
QPushButton* buttonFor(Parent* parent, void (Parent::*slot)(), const QString& text, const QString& tip) {
    auto* button = new QPushButton(text, parent);
    button->setToolTip(tip);
    QObject::connect(button, &QPushButton::clicked, parent, slot);
    return button;
}

}  // namespace verbcast

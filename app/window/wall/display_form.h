// The fields of one display of a wall.
#pragma once

#include <QDoubleSpinBox>
#include <QSpinBox>
#include <QWidget>
#include <array>

#include "app/wall/wall.h"
#include "app/window/parts/field_bindings.h"

namespace verbcast {

/// Belongs to the GUI thread.
class DisplayForm : public QWidget {
    Q_OBJECT
  public:
    explicit DisplayForm(QWidget* parent = nullptr);

    /// Null: none is shown. Emits nothing.
    void show(const WallDisplay* display);
    WallDisplay display() const;

  Q_SIGNALS:
    /// The user changed a field.
    void edited();

  private:
    QSpinBox* whole(const QString& name, const QString& explanation, int least, int most);
    QDoubleSpinBox* number(const QString& name, const QString& explanation, double least, double most,
                           double step);
    void bindFields();

    QLineEdit* name_;
    std::array<QSpinBox*, 4> rectangle_;  // x, y, width, height
    ChoiceCombo* rotation_;
    std::array<QSpinBox*, 4> blend_;  // left, right, top, bottom
    QDoubleSpinBox* blendGamma_;
    std::array<QDoubleSpinBox*, 8> corners_;  // x and y, clockwise from the top left
    std::array<QDoubleSpinBox*, 3> gain_;
    QDoubleSpinBox* gamma_;
    QDoubleSpinBox* black_;
    FieldBindings<WallDisplay> fields_;
};

}  // namespace verbcast

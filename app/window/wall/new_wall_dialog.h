// Asks for the properties of a new wall of equal displays.
#pragma once

#include <QDialog>
#include <QSpinBox>

#include "app/wall/wall_options.h"
#include "app/window/parts/choice_combo.h"

namespace verbcast {

class NewWallDialog : public QDialog {
    Q_OBJECT
  public:
    explicit NewWallDialog(QWidget* parent = nullptr);

    /// Valid after accept(). Throws Error{Usage} if the size is invalid.
    NewWallOptions options() const;

  private:
    QSpinBox* count(const QString& name, const QString& explanation, int least, int most, int value);

    QSpinBox* columns_;
    QSpinBox* rows_;
    ChoiceCombo* size_;
    QSpinBox* bezel_;
    QSpinBox* overlap_;
    ChoiceCombo* rotation_;
    QSpinBox* sourceColumns_;
    QSpinBox* sourceRows_;
};

}  // namespace verbcast

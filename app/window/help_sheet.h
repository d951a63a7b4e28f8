// The sheet that lists keys and mouse.
#pragma once

#include <QDialog>

namespace verbcast {

class HelpSheet : public QDialog {
    Q_OBJECT
  public:
    explicit HelpSheet(QWidget* parent = nullptr);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace verbcast

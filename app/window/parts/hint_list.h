// A list that shows a hint while it is empty.
#pragma once

#include <QListWidget>

namespace verbcast {

class HintList : public QListWidget {
    Q_OBJECT
  public:
    explicit HintList(const QString& hint, QWidget* parent = nullptr);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString hint_;
};

}  // namespace verbcast

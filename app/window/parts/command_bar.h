// A command line to copy: the one that does what the page does.
#pragma once

#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

namespace verbcast {

class CommandBar : public QWidget {
    Q_OBJECT
  public:
    explicit CommandBar(QWidget* parent = nullptr);
    /// Empty: there is none, since the settings make none.
    void setCommand(const QString& line);
    void setExplanation(const QString& text);
    void copy();

  private:
    QLineEdit* line_;
    QToolButton* copy_;
};

}  // namespace verbcast

// A command line to copy, equivalent to the page's settings.
#pragma once

#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

namespace verbcast {

class CommandBar : public QWidget {
    Q_OBJECT
  public:
    explicit CommandBar(QWidget* parent = nullptr);
    /// Empty: the settings yield no command.
    void setCommand(const QString& line);
    void setExplanation(const QString& text);
    void copy();

  private:
    QLineEdit* line_;
    QToolButton* copy_;
};

}  // namespace verbcast

// Shows a problem and its remedy in the page where it happened.
#pragma once

#include <QFrame>
#include <QLabel>
#include <optional>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// Hidden while there is no problem. The text can be selected and copied.
class ProblemPanel : public QFrame {
    Q_OBJECT
  public:
    explicit ProblemPanel(QWidget* parent = nullptr);
    void show(const std::optional<Message>& message);
    bool alarming() const { return shown_ && shown_->alarming; }

  private:
    QLabel* title_;
    QLabel* text_;
    QLabel* remedy_;
    std::optional<Message> shown_;
};

}  // namespace verbcast

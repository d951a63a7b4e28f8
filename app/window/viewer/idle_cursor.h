// Hides the cursor over a picture that fills the screen, until the mouse moves.
#pragma once

#include <QObject>
#include <QTimer>
#include <QWindow>
#include <chrono>

namespace verbcast {

/// Belongs to the GUI thread.
class IdleCursor : public QObject {
    Q_OBJECT
  public:
    static constexpr std::chrono::milliseconds kIdle{2000};

    /// `window` outlives this object.
    explicit IdleCursor(QWindow& window, QObject* parent = nullptr);
    /// Whether it hides at all. Off, the cursor is there.
    void setOn(bool on);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWindow& window_;
    QTimer idle_;
    bool on_ = false;
};

}  // namespace verbcast

// Hides the cursor over a fullscreen picture until the mouse moves.
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

    /// `window` must outlive this.
    explicit IdleCursor(QWindow& window, QObject* parent = nullptr);
    /// Enables hiding. While off, the cursor is visible.
    void setOn(bool on);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWindow& window_;
    QTimer idle_;
    bool on_ = false;
};

}  // namespace verbcast

// SIGINT and SIGTERM as a Qt signal, so that the window closes as if the user had closed it.
#pragma once

#include <QObject>

#include "core/base/os/unique_fd.h"

namespace verbcast {

inline constexpr int kInterruptedExit = 130;  // as shells report SIGINT

/// Blocks both signals in the calling thread. Call before any thread is started: threads inherit the mask,
/// and a signal that some thread accepts would never reach the descriptor.
class ExitSignalBlock {
  public:
    ExitSignalBlock();
    int descriptor() const { return fd_.get(); }

  private:
    UniqueFd fd_;
};

class ExitSignals : public QObject {
    Q_OBJECT
  public:
    /// `block` must outlive this object.
    explicit ExitSignals(const ExitSignalBlock& block, QObject* parent = nullptr);

  Q_SIGNALS:
    void requested();
};

}  // namespace verbcast

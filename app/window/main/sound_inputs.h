// This machine's devices that record sound, as the main window lists them.
#pragma once

#include <QObject>
#include <thread>

#include "app/window/parts/choice_combo.h"

namespace verbcast {

/// Asks the sound servers on a thread of its own, since they may take their time.
class SoundInputs : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    /// listed() follows. Does nothing while the last answer is still to come.
    void ask();

  Q_SIGNALS:
    /// The values are those that --audio takes.
    void listed(const QList<Choice>& devices);

  private:
    bool asking_ = false;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast

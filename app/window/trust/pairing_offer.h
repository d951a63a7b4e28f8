// What a window does when a host serves paired hosts only: asks for the code that is shown there, and pairs.
#pragma once

#include <QPointer>
#include <QWidget>
#include <thread>

#include "app/window/trust/pairing_dialog.h"
#include "core/base/event.h"
#include "core/transport/url.h"

namespace verbcast {

/// Belongs to the GUI thread, which never waits for the other host: a thread calls it.
class PairingOffer : public QObject {
    Q_OBJECT
  public:
    /// `window` is what the dialog belongs to; it outlives this object.
    explicit PairingOffer(QWidget* window);
    ~PairingOffer() override;

    /// Opens the dialog, unless it is open.
    void open(const Url& url);

  Q_SIGNALS:
    /// Both hosts have a key for each other now.
    void paired();

  private:
    void call(const QString& code);
    /// `refusal`: why not; empty: it is paired.
    void onAnswer(const QString& refusal, unsigned attempt);

    QWidget* window_;
    Url url_;
    QPointer<PairingDialog> dialog_;  // deletes itself when it closes
    unsigned attempt_ = 0;
    Event cancel_;
    std::jthread thread_;  // last: it uses what is above
};

}  // namespace verbcast

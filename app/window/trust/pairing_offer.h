// Pairs with a host that serves paired hosts only: asks for the code shown there.
#pragma once

#include <QPointer>
#include <QWidget>
#include <thread>

#include "app/window/trust/pairing_dialog.h"
#include "core/base/os/event.h"
#include "core/transport/url.h"

namespace verbcast {

/// Belongs to the GUI thread, which never waits for the other host: another thread calls it.
class PairingOffer : public QObject {
    Q_OBJECT
  public:
    /// `window` is the dialog's parent; it must outlive this.
    explicit PairingOffer(QWidget* window);
    ~PairingOffer() override;

    /// Opens the dialog if it is not open.
    void open(const Url& url);

  Q_SIGNALS:
    /// Both hosts now have a key for each other: this one and that of the address.
    void paired(const verbcast::Url& url);

  private:
    void call(const QString& code);
    /// `refusal`: the reason; empty: paired.
    void onAnswer(const QString& refusal, unsigned attempt);

    QWidget* window_;
    Url url_;
    QPointer<PairingDialog> dialog_;  // deletes itself on closing
    unsigned attempt_ = 0;
    Event cancel_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast

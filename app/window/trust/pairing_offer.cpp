#include "app/window/trust/pairing_offer.h"

#include "core/base/error.h"
#include "core/session/greeting/pair_with.h"

namespace verbcast {
namespace {

/// Phrased for users of a window rather than a command line.
QString reasonOf(const std::exception& error) {
    const auto* typed = dynamic_cast<const Error*>(&error);
    if (typed == nullptr || typed->kind() != ErrorKind::Peer) {
        return QString::fromUtf8(error.what());
    }
    return PairingOffer::tr(
        "This is not the code that is shown there now. A code works once and expires after ten minutes; "
        "connect again for a new one.");
}

}  // namespace

PairingOffer::PairingOffer(QWidget* window) : QObject(window), window_(window) {}

PairingOffer::~PairingOffer() {
    cancel_.notify();
}

void PairingOffer::open(const Url& url) {
    if (dialog_) {
        return;
    }
    url_ = url;
    dialog_ = new PairingDialog(QString::fromStdString(url.host), window_);
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog_, &PairingDialog::codeEntered, this, &PairingOffer::call);
    connect(dialog_, &QDialog::rejected, this, [this] { cancel_.notify(); });
    dialog_->open();
}

void PairingOffer::call(const QString& code) {
    cancel_.notify();
    thread_ = {};  // the previous attempt, which is over or cancelled
    cancel_.clear();
    thread_ = std::jthread([this, url = url_, code = code.toStdString(), attempt = ++attempt_] {
        QString refusal;
        try {
            static_cast<void>(pairWith(url, code, PairedHosts(PairedHosts::defaultPath()), cancel_));
        } catch (const std::exception& error) {
            refusal = reasonOf(error);
        }
        QMetaObject::invokeMethod(
            this, [this, refusal, attempt] { onAnswer(refusal, attempt); }, Qt::QueuedConnection);
    });
}

void PairingOffer::onAnswer(const QString& refusal, unsigned attempt) {
    if (attempt != attempt_ || !dialog_) {
        return;  // nobody waits for it any more
    }
    if (refusal.isEmpty()) {
        dialog_->accept();
        Q_EMIT paired(url_);
    } else {
        dialog_->refuse(refusal);
    }
}

}  // namespace verbcast

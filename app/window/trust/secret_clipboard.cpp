#include "app/window/trust/secret_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

namespace verbcast {

SecretClipboard::SecretClipboard(std::chrono::milliseconds kept, QObject* parent)
    : QObject(parent), kept_(kept) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &SecretClipboard::clear);
}

SecretClipboard::~SecretClipboard() {
    clear();
}

void SecretClipboard::copy(const QString& secret) {
    auto data = std::make_unique<QMimeData>();
    data->setText(secret);
    // Clipboard managers that support this hint keep no history of the secret.
    data->setData("x-kde-passwordManagerHint", "secret");
    QGuiApplication::clipboard()->setMimeData(data.release());
    secret_ = secret;
    timer_.start(kept_);
}

void SecretClipboard::clear() {
    timer_.stop();
    if (secret_.isEmpty()) {
        return;
    }
    QClipboard* clipboard = QGuiApplication::clipboard();
    if (clipboard->text() == secret_) {
        clipboard->clear();
    }
    secret_.clear();
    Q_EMIT cleared();
}

}  // namespace verbcast

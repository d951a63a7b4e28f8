#include "app/window/trust/pairing_banner.h"

#include <QFontDatabase>
#include <chrono>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"

namespace verbcast {

PairingBanner::PairingBanner(QWidget* parent)
    : QFrame(parent),
      host_(new QLabel(this)),
      code_(new QLabel(this)),
      remaining_(mutedLabel("", this)),
      copy_(new QPushButton(tr("Copy"), this)) {
    setAccessibleName(tr("Pairing"));
    theme::setFrame(*this, theme::Frame::Note);
    theme::setTone(*this, theme::Tone::Second);
    host_->setTextFormat(Qt::PlainText);  // text from an unknown peer
    host_->setWordWrap(true);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(theme::font(1.9).pointSizeF());
    font.setWeight(QFont::DemiBold);
    code_->setFont(font);
    code_->setTextFormat(Qt::PlainText);
    code_->setAccessibleName(tr("Code"));
    code_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    copy_->setShortcut(QKeySequence("Ctrl+Alt+C"));
    copy_->setToolTip(
        tr("Copy the code (Ctrl+Alt+C); other programs can read the clipboard, which is cleared after 60 s"));
    const int line = theme::line();
    QVBoxLayout* column = columnOf(line / 4, {host_, rowOf(line, {code_, copy_, remaining_, Part::rest()})});
    column->setContentsMargins(line, line * 3 / 4, line, line * 3 / 4);
    setLayout(column);
    connect(copy_, &QPushButton::clicked, this, [this] { clipboard_.copy(code_->text()); });
    connect(&second_, &QTimer::timeout, this, &PairingBanner::countDown);
    hide();
}

void PairingBanner::follow(const std::optional<PairingInvitation>& invitation) {
    if (!invitation) {
        clear();
        return;
    }
    const QString host = QString::fromStdString(invitation->host);
    const QString code = QString::fromStdString(invitation->code);
    if (host == shownHost_ && code == code_->text()) {
        return;
    }
    host_->setText(
        tr("%1 wants to connect. Type this code there; the two machines then share a key.").arg(host));
    shownHost_ = host;
    code_->setText(code);
    seconds_ = static_cast<int>(invitation->validFor.count());
    showRemaining();
    second_.start(std::chrono::seconds(1));
    show();
}

void PairingBanner::clear() {
    second_.stop();
    code_->clear();
    hide();
}

void PairingBanner::countDown() {
    if (--seconds_ > 0) {
        showRemaining();
    } else {
        clear();
    }
}

void PairingBanner::showRemaining() {
    remaining_->setText(tr("valid for %1:%2").arg(seconds_ / 60).arg(seconds_ % 60, 2, 10, QChar('0')));
}

}  // namespace verbcast

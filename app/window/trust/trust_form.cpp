#include "app/window/trust/trust_form.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

#include "app/window/command_composer.h"
#include "app/window/form.h"
#include "app/window/theme.h"
#include "app/window/trust/padlock.h"

namespace verbcast {

TrustForm::TrustForm(QWidget* parent)
    : QWidget(parent),
      key_(new KeyField(KeyField::None::Allowed, this)),
      encrypt_(new QCheckBox("Encr&ypt the pictures", this)),
      open_(new QCheckBox("Let in anybo&dy", this)),
      warning_(makeWarning()) {
    encrypt_->setToolTip(
        "With a key, all but the pictures is encrypted anyway; this encrypts them, too (AES-256-GCM; "
        "--encrypt)");
    auto* grid = new FormGrid;
    grid->addHeading("Trust");
    grid->addField("&Key", key_);
    grid->addField(key_->problemLabel());
    grid->addField(encrypt_);
    grid->addField(open_);
    grid->addField(warning_);
    grid->setContentsMargins(0, 0, 0, 0);
    setLayout(grid);
    connect(key_, &KeyField::changed, this, &TrustForm::follow);
    connect(encrypt_, &QCheckBox::toggled, this, &TrustForm::changed);
    connect(open_, &QCheckBox::toggled, this, &TrustForm::follow);
    follow();
}

QWidget* TrustForm::makeWarning() {
    auto* warning = new QWidget(this);
    const int line = theme::line();
    auto* words = new QLabel("Any host gets in, and all can be read and changed on its way.", warning);
    words->setWordWrap(true);
    words->setStyleSheet(QString("color: %1").arg(theme::kWarning.name()));
    auto* row = new QHBoxLayout(warning);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(line / 2);
    row->addWidget(new PadlockPicture(Protection::None, line * 5 / 4, warning), 0, Qt::AlignTop);
    row->addWidget(words, 1);
    warning->hide();
    return warning;
}

TrustSettings TrustForm::settings() const {
    return {
        .keyFile = key_->file().toStdString(), .encrypt = encrypt_->isChecked(), .open = open_->isChecked()};
}

void TrustForm::setSettings(const TrustSettings& settings) {
    {
        const QSignalBlocker quiet(this);
        key_->setFile(QString::fromStdString(settings.keyFile));
        encrypt_->setChecked(settings.encrypt);
        open_->setChecked(settings.open);
    }
    follow();
}

void TrustForm::setListening(bool listening) {
    listening_ = listening;
    follow();
}

void TrustForm::follow() {
    const bool keyed = !key_->file().isEmpty();
    open_->setEnabled(listening_ && !keyed);
    open_->setToolTip(keyed        ? "A key keeps all others out"
                      : listening_ ? "Without this, only this machine, or who has the key, is served (--open)"
                                   : "Only the side that waits lets others in");
    warning_->setVisible(opensToAnybody(settings(), listening_));
    Q_EMIT changed();
}

}  // namespace verbcast

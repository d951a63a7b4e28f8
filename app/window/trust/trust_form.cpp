#include "app/window/trust/trust_form.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

#include "app/window/command_composer.h"
#include "app/window/form.h"
#include "app/window/theme.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

constexpr std::array<Grants, 3> kGrantBits{kMayView, kMaySend, kMayInput};

}  // namespace

TrustForm::TrustForm(QWidget* parent)
    : QWidget(parent),
      key_(new KeyField(KeyField::None::Allowed, this)),
      encrypt_(new QCheckBox("Encr&ypt the pictures", this)),
      open_(new QCheckBox("Let in anybo&dy", this)),
      warning_(makeWarning()),
      grants_(makeGrants()) {
    encrypt_->setToolTip(
        "A key already encrypts everything but the pictures; this encrypts them, too (AES-256-GCM; "
        "--encrypt)");
    auto* grid = new FormGrid;
    grid->addHeading("Trust");
    grid->addField("&Key", key_);
    grid->addField(key_->problemLabel());
    grid->addField(encrypt_);
    grid->addField(open_);
    grid->addField(warning_);
    grid->addField("They may", grants_);
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
    auto* words =
        new QLabel("Any host can connect, and anyone on the way can read and change everything.", warning);
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

QWidget* TrustForm::makeGrants() {
    struct Grant {
        const char* name;
        const char* meaning;
    };
    constexpr std::array<Grant, 3> kGrants{{{"view", "See what is sent"},
                                            {"send", "Send what is viewed"},
                                            {"input", "Use keyboard and mouse, where input is allowed"}}};
    auto* grants = new QWidget(this);
    grants->setToolTip("What those may do who are let in (--grant)");
    auto* row = new QHBoxLayout(grants);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::line() * 3 / 4);
    for (std::size_t i = 0; i < may_.size(); ++i) {
        may_.at(i) = new QCheckBox(kGrants.at(i).name, grants);
        may_.at(i)->setAccessibleName(QString("They may ") + kGrants.at(i).name);
        may_.at(i)->setToolTip(kGrants.at(i).meaning);
        may_.at(i)->setChecked(true);
        row->addWidget(may_.at(i));
        connect(may_.at(i), &QCheckBox::toggled, this, &TrustForm::changed);
    }
    row->addStretch(1);
    return grants;
}

TrustSettings TrustForm::settings() const {
    Grants grants = 0;
    for (std::size_t i = 0; i < may_.size(); ++i) {
        grants |= static_cast<Grants>(may_.at(i)->isChecked() ? kGrantBits.at(i) : 0);
    }
    return {.keyFile = key_->file().toStdString(),
            .encrypt = encrypt_->isChecked(),
            .open = open_->isChecked(),
            .grants = grants};
}

void TrustForm::setSettings(const TrustSettings& settings) {
    {
        const QSignalBlocker quiet(this);
        key_->setFile(QString::fromStdString(settings.keyFile));
        encrypt_->setChecked(settings.encrypt);
        open_->setChecked(settings.open);
        for (std::size_t i = 0; i < may_.size(); ++i) {
            may_.at(i)->setChecked((settings.grants & kGrantBits.at(i)) != 0);
        }
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
                      : listening_ ? "Otherwise only this machine and holders of the key can connect (--open)"
                                   : "Only the side that listens admits others");
    grants_->setEnabled(listening_);
    warning_->setVisible(opensToAnybody(settings(), listening_));
    Q_EMIT changed();
}

}  // namespace verbcast

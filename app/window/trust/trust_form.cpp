#include "app/window/trust/trust_form.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

#include "app/window/parts/form.h"
#include "app/window/settings/command_composer.h"
#include "app/window/style/theme.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

constexpr std::array<Grants, 3> kGrantBits{kMayView, kMaySend, kMayInput};

}  // namespace

TrustForm::TrustForm(QWidget* parent)
    : QWidget(parent),
      key_(new KeyField(KeyField::None::Allowed, this)),
      encrypt_(new QCheckBox(tr("Encr&ypt the pictures"), this)),
      open_(new QCheckBox(tr("Let in anybo&dy"), this)),
      warning_(makeWarning()),
      grants_(makeGrants()) {
    encrypt_->setToolTip(
        tr("A key already encrypts everything but the pictures; this encrypts them, too (AES-256-GCM)"));
    auto* grid = new FormGrid;
    grid->addHeading(tr("Trust"));
    grid->addField(tr("&Key"), key_);
    grid->addField(key_->problemLabel());
    grid->addField(encrypt_);
    grid->addField(open_);
    grid->addField(warning_);
    grid->addField(tr("They may"), grants_);
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
    auto* words = new QLabel(
        tr("Any host can connect, and anyone on the network can read and change everything."), warning);
    words->setWordWrap(true);
    theme::setTone(*words, theme::Tone::Warning);
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
        const char* spoken;
        const char* meaning;
    };
    constexpr std::array<Grant, 3> kGrants{
        {{QT_TRANSLATE_NOOP("verbcast::TrustForm", "view"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "They may view"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "See what is sent")},
         {QT_TRANSLATE_NOOP("verbcast::TrustForm", "send"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "They may send"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "Send what is viewed")},
         {QT_TRANSLATE_NOOP("verbcast::TrustForm", "input"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "They may input"),
          QT_TRANSLATE_NOOP("verbcast::TrustForm", "Use keyboard and mouse, where input is allowed")}}};
    auto* grants = new QWidget(this);
    grants->setToolTip(tr("What admitted peers may do"));
    auto* row = new QHBoxLayout(grants);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::line() * 3 / 4);
    for (std::size_t i = 0; i < may_.size(); ++i) {
        may_.at(i) = new QCheckBox(tr(kGrants.at(i).name), grants);
        may_.at(i)->setAccessibleName(tr(kGrants.at(i).spoken));
        may_.at(i)->setToolTip(tr(kGrants.at(i).meaning));
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
    open_->setToolTip(keyed        ? tr("A key keeps all others out")
                      : listening_ ? tr("Otherwise only this machine and holders of the key can connect")
                                   : tr("Only the side that listens admits others"));
    grants_->setEnabled(listening_);
    warning_->setVisible(opensToAnybody(settings(), listening_));
    Q_EMIT changed();
}

}  // namespace verbcast

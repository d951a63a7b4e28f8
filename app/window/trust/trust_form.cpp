#include "app/window/trust/trust_form.h"

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
      grants_(makeGrants()),
      fields_(this, &TrustForm::follow) {
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
    fields_.bind(encrypt_, &TrustSettings::encrypt);
    fields_.bind(open_, &TrustSettings::open);
    follow();
}

QWidget* TrustForm::makeWarning() {
    const int line = theme::line();
    auto* words = new QLabel(
        tr("Any host can connect, and anyone on the network can read and change everything."), this);
    words->setWordWrap(true);
    theme::setTone(*words, theme::Tone::Warning);
    auto* padlock = new PadlockPicture(Protection::None, line * 5 / 4, this);
    QWidget* warning = panelOf(rowOf(line / 2, {columnOf(0, {padlock, Part::rest()}), Part(words, 1)}), this);
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
        {{QT_TR_NOOP("view"), QT_TR_NOOP("They may view"), QT_TR_NOOP("See what is sent")},
         {QT_TR_NOOP("send"), QT_TR_NOOP("They may send"), QT_TR_NOOP("Send what is viewed")},
         {QT_TR_NOOP("input"), QT_TR_NOOP("They may input"),
          QT_TR_NOOP("Use keyboard and mouse, where input is allowed")}}};
    for (std::size_t i = 0; i < may_.size(); ++i) {
        may_.at(i) = new QCheckBox(tr(kGrants.at(i).name), this);
        may_.at(i)->setAccessibleName(tr(kGrants.at(i).spoken));
        may_.at(i)->setToolTip(tr(kGrants.at(i).meaning));
        may_.at(i)->setChecked(true);
        connect(may_.at(i), &QCheckBox::toggled, this, &TrustForm::changed);
    }
    QWidget* grants = panelOf(rowOf(theme::line() * 3 / 4, {may_[0], may_[1], may_[2], Part::rest()}), this);
    grants->setToolTip(tr("What admitted peers may do"));
    return grants;
}

TrustSettings TrustForm::settings() const {
    TrustSettings settings{.keyFile = key_->file().toStdString(), .grants = 0};
    fields_.read(settings);
    for (std::size_t i = 0; i < may_.size(); ++i) {
        settings.grants |= static_cast<Grants>(may_.at(i)->isChecked() ? kGrantBits.at(i) : 0);
    }
    return settings;
}

void TrustForm::setSettings(const TrustSettings& settings) {
    {
        const QSignalBlocker quiet(this);
        key_->setFile(QString::fromStdString(settings.keyFile));
        fields_.show(settings);
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

#include "app/window/main/send_form.h"

#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <utility>

#include "app/window/parts/core_words.h"
#include "app/window/settings/command_composer.h"
#include "app/window/settings/page_settings.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/style/theme.h"
#include "core/base/text/clean_text.h"
#include "core/video/pixel_format.h"

namespace verbcast {
namespace {

using Typing = ChoiceCombo::Typing;

QString sourcesOwn() {
    return SendForm::tr("Source's own");
}

QList<Choice> formatChoices() {
    QList<Choice> choices{{sourcesOwn(), ""}};
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const QString name = QString::fromUtf8(info.name);
        choices.append({name, name, inWindowLanguage(info.summary)});
    }
    return choices;
}

/// The values that --audio takes.
QList<Choice> soundChoices(const QList<Choice>& devices) {
    return QList<Choice>{{SendForm::tr("Automatic"), "",
                          SendForm::tr("Of a file its own; with a screen, what this machine plays")},
                         {SendForm::tr("None"), "none"},
                         {SendForm::tr("Test tone"), "tone", SendForm::tr("A pip at each whole second")}} +
           devices;
}

}  // namespace

SendForm::SendForm(QWidget* parent)
    : QWidget(parent),
      source_(new SourceForm(this)),
      size_(new ChoiceCombo(tr("Size"), tr("Width and height in pixels, for example 3840x2160, 1080p or 4K"),
                            Typing::Allowed, this)),
      format_(new ChoiceCombo(tr("Pixel format"),
                              tr("How a pixel is stored; the source's own costs no conversion"), Typing::No,
                              this)),
      rate_(new ChoiceCombo(tr("Rate"), tr("Frames per second, for example 59.94; max: as fast as possible"),
                            Typing::Allowed, this)),
      sound_(new ChoiceCombo(tr("Sound"), tr("Which sound goes with the pictures"), Typing::No, this)),
      listen_(new QRadioButton(tr("&Wait for viewers"), this)),
      connect_(new QRadioButton(tr("Co&nnect to a viewer that waits"), this)),
      address_(
          new ChoiceCombo(tr("Address"),
                          tr("verbs://host:port, tcp://host:port, shm://name, or host:port for the best that "
                             "works"),
                          Typing::Allowed, this)),
      policy_(new ChoiceCombo(
          tr("Policy"),
          tr("When a viewer is too slow: drop frames for it (latest), or make the source wait (lossless)"),
          Typing::No, this)),
      allowInput_(new QCheckBox(tr("Allow inp&ut"), this)),
      trust_(new TrustForm(this)),
      preview_(new QCheckBox(tr("Pre&view before sending"), this)),
      fields_(this, &SendForm::changed) {
    auto* grid = new FormGrid;
    makePicture(*grid);
    makeDelivery(*grid);
    const int gap = theme::line() / 3;
    setLayout(columnOf(gap, {source_, grid, Part::space(gap), trust_, Part::rest()}));
    connectParts();
    listAddresses();
    followSource();
    followDirection();
}

void SendForm::makePicture(FormGrid& grid) {
    const QList<Choice> own{{sourcesOwn(), ""}};
    size_->setChoices(own + plainChoices({"1280x720", "1920x1080", "2560x1440", "3840x2160", "7680x4320"}));
    format_->setChoices(formatChoices());
    rate_->setChoices(own + QList<Choice>{{tr("As fast as possible"), "max"}} +
                      plainChoices({"24", "25", "29.97", "30", "50", "59.94", "60", "120"}));
    sound_->setChoices(soundChoices({}));
    preview_->setToolTip(tr("Shows the source even while nothing is sent"));
    preview_->setChecked(true);
    grid.addHeading(tr("Picture and sound"));
    grid.addField(tr("Si&ze"), size_);
    grid.addField(tr("For&mat"), format_);
    grid.addField(tr("&Rate"), rate_);
    grid.addField(tr("Sound"), sound_);
    grid.addField(preview_);
}

void SendForm::makeDelivery(FormGrid& grid) {
    listen_->setToolTip(tr("Viewers connect to this machine, several at a time"));
    connect_->setToolTip(tr("One viewer waits for this sender"));
    listen_->setChecked(true);
    policy_->setChoices(
        {{tr("Default for the source"), "", tr("Live sources: latest. Files: lossless")},
         {tr("Latest: drop frames"), "latest", tr("A slow viewer misses frames and slows nobody down")},
         {tr("Lossless: wait"), "lossless", tr("The source waits for the slowest viewer")}});
    allowInput_->setToolTip(tr("Viewers may use the keyboard and mouse of what is sent"));
    grid.addHeading(tr("Delivery"));
    grid.addField(listen_);
    grid.addField(connect_);
    grid.addField(tr("&Address"), address_);
    grid.addField(tr("Po&licy"), policy_);
    grid.addField(allowInput_);
}

void SendForm::connectParts() {
    connect(source_, &SourceForm::changed, this, [this] {
        followSource();
        Q_EMIT changed();
    });
    fields_.bind(size_, &SendSettings::size);
    fields_.bind(format_, &SendSettings::format);
    fields_.bind(rate_, &SendSettings::rate);
    fields_.bind(sound_, &SendSettings::audio);
    fields_.bind(policy_, &SendSettings::policy);
    fields_.bind(allowInput_, &SendSettings::allowInput);
    fields_.bind(preview_, &SendSettings::preview);
    connect(address_, &ChoiceCombo::valueChanged, this, &SendForm::changed);
    connect(trust_, &TrustForm::changed, this, &SendForm::changed);
    connect(listen_, &QRadioButton::toggled, this, [this] {
        QString other = std::exchange(otherAddress_, address_->value());
        listAddresses();
        address_->setValue(other);
        followDirection();
        Q_EMIT changed();
    });
    connect(address_->lineEdit(), &QLineEdit::returnPressed, this, &SendForm::confirmed);
    connect(address_, &ChoiceCombo::listWanted, this, &SendForm::listAddresses);
    connect(sound_, &ChoiceCombo::listWanted, &soundInputs_, &SoundInputs::ask);
    connect(&soundInputs_, &SoundInputs::listed, this,
            [this](const QList<Choice>& devices) { sound_->setChoices(soundChoices(devices)); });
    soundInputs_.ask();
}

void SendForm::listAddresses() {
    address_->setChoices(
        plainChoices(recentAddresses(listen_->isChecked() ? AddressUse::Listen : AddressUse::SendTo)));
}

void SendForm::followSource() {
    size_->setEnabled(isFor(kHasSize, source_->kind()));
    format_->setEnabled(isFor(kHasFormat, source_->kind()));
    sound_->setEnabled(isFor(kSendsSound, source_->kind()));
    allowInput_->setEnabled(isFor(kForwardsInput, source_->kind()));
    preview_->setEnabled(needsConsent(settings()).empty());
}

bool SendForm::hasConsent() {
    const QString what = source_->awaitsConsent();
    if (what.isEmpty()) {
        return true;
    }
    const bool runs = source_->kind() == SourceKind::Program;
    QMessageBox box(QMessageBox::Question, tr("Verbcast - Send"),
                    runs ? tr("Run this program?") : tr("Open this address?"), QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(QString::fromStdString(cleanLine(what.toStdString())));
    const QPushButton* go = box.addButton(runs ? tr("&Run") : tr("&Open"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != static_cast<const QAbstractButton*>(go)) {
        return false;
    }
    source_->consent();
    return true;
}

void SendForm::followDirection() {
    trust_->setListening(listen_->isChecked());
    address_->lineEdit()->setPlaceholderText(listen_->isChecked() ? tr("every address, port 7423")
                                                                  : "wall:7423");
}

SendSettings SendForm::settings() const {
    SendSettings settings;
    source_->read(settings);
    fields_.read(settings);
    settings.listen = listen_->isChecked();
    (settings.listen ? settings.listenAddress : settings.peer) = address_->value().toStdString();
    (settings.listen ? settings.peer : settings.listenAddress) = otherAddress_.toStdString();
    settings.trust = trust_->settings();
    return settings;
}

void SendForm::setSettings(const SendSettings& settings) {
    {
        const QSignalBlocker quiet(this);
        source_->show(settings);
        fields_.show(settings);
        (settings.listen ? listen_ : connect_)->setChecked(true);
        address_->setValue(QString::fromStdString(settings.listen ? settings.listenAddress : settings.peer));
        otherAddress_ = QString::fromStdString(settings.listen ? settings.peer : settings.listenAddress);
        trust_->setSettings(settings.trust);
    }
    followSource();
    Q_EMIT changed();
}

}  // namespace verbcast

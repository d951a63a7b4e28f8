#include "app/window/send_form.h"

#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

#include "app/window/command_composer.h"
#include "app/window/recent_addresses.h"
#include "app/window/theme.h"
#include "core/video/pixel_format.h"

namespace verbcast {
namespace {

using Typing = ChoiceCombo::Typing;

const QString kOwn = QStringLiteral("Source's own");

QList<Choice> formatChoices() {
    QList<Choice> choices{{kOwn, ""}};
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const QString name = QString::fromUtf8(info.name.data(), static_cast<qsizetype>(info.name.size()));
        choices.append({name, name,
                        QString::fromUtf8(info.summary.data(), static_cast<qsizetype>(info.summary.size()))});
    }
    return choices;
}

QList<Choice> plainChoices(const QList<Choice>& first, const QStringList& more) {
    QList<Choice> choices = first;
    for (const QString& value : more) {
        choices.append({value, value});
    }
    return choices;
}

}  // namespace

SendForm::SendForm(QWidget* parent)
    : QWidget(parent),
      source_(new SourceForm(this)),
      size_(new ChoiceCombo("Size", "Width and height in pixels, for example 3840x2160, 1080p or 4K",
                            Typing::Allowed, this)),
      format_(new ChoiceCombo("Pixel format", "How a pixel is stored; the source's own costs no conversion",
                              Typing::No, this)),
      rate_(new ChoiceCombo("Rate", "Frames per second, for example 59.94; max: as fast as possible",
                            Typing::Allowed, this)),
      listen_(new QRadioButton("&Wait for viewers", this)),
      connect_(new QRadioButton("Co&nnect to a viewer that waits", this)),
      address_(
          new ChoiceCombo("Address",
                          "verbs://host:port, tcp://host:port, shm://name, or host:port for the best that "
                          "works",
                          Typing::Allowed, this)),
      policy_(new ChoiceCombo(
          "Policy",
          "When a viewer is too slow: drop frames for it (latest), or make the source wait (lossless)",
          Typing::No, this)),
      allowInput_(new QCheckBox("Allow inp&ut", this)),
      trust_(new TrustForm(this)),
      preview_(new QCheckBox("Pre&view before sending", this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::line() / 3);
    column->addWidget(source_);
    auto* grid = new FormGrid;
    makePicture(*grid);
    makeDelivery(*grid);
    column->addLayout(grid);
    column->addSpacing(theme::line() / 3);
    column->addWidget(trust_);
    column->addStretch(1);
    connectParts();
    listAddresses();
    followSource();
    followDirection();
}

void SendForm::makePicture(FormGrid& grid) {
    size_->setChoices(
        plainChoices({{kOwn, ""}}, {"1280x720", "1920x1080", "2560x1440", "3840x2160", "7680x4320"}));
    format_->setChoices(formatChoices());
    rate_->setChoices(plainChoices({{kOwn, ""}, {"As fast as possible", "max"}},
                                   {"24", "25", "29.97", "30", "50", "59.94", "60", "120"}));
    preview_->setToolTip("Shows the source even while nothing is sent");
    preview_->setChecked(true);
    grid.addHeading("Picture");
    grid.addField("Si&ze", size_);
    grid.addField("For&mat", format_);
    grid.addField("&Rate", rate_);
    grid.addField(preview_);
}

void SendForm::makeDelivery(FormGrid& grid) {
    listen_->setToolTip("Viewers connect to this machine, several at a time");
    connect_->setToolTip("One viewer waits for this sender: verbcast view --listen");
    listen_->setChecked(true);
    policy_->setChoices(
        {{"Default for the source", "", "Live sources: latest. Files: lossless"},
         {"Latest: drop frames", "latest", "A slow viewer misses frames and slows nobody down"},
         {"Lossless: wait", "lossless", "The source waits for the slowest viewer"}});
    allowInput_->setToolTip("Viewers may use the keyboard and mouse of what is sent");
    grid.addHeading("Delivery");
    grid.addField(listen_);
    grid.addField(connect_);
    grid.addField("&Address", address_);
    grid.addField("Po&licy", policy_);
    grid.addField(allowInput_);
}

void SendForm::connectParts() {
    connect(source_, &SourceForm::changed, this, [this] {
        followSource();
        Q_EMIT changed();
    });
    for (const ChoiceCombo* combo : {size_, format_, rate_, address_, policy_}) {
        connect(combo, &ChoiceCombo::valueChanged, this, &SendForm::changed);
    }
    for (const QCheckBox* box : {allowInput_, preview_}) {
        connect(box, &QCheckBox::toggled, this, &SendForm::changed);
    }
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
}

void SendForm::listAddresses() {
    QList<Choice> choices;
    for (const QString& address :
         recentAddresses(listen_->isChecked() ? AddressUse::Listen : AddressUse::SendTo)) {
        choices.append({address, address});
    }
    address_->setChoices(choices);
}

void SendForm::followSource() {
    const SourceAbilities abilities = abilitiesOf(source_->kind());
    size_->setEnabled(abilities.size);
    format_->setEnabled(abilities.format);
    policy_->setEnabled(abilities.policy);
    allowInput_->setEnabled(abilities.input);
    preview_->setEnabled(abilities.preview);
}

void SendForm::useKey(const QString& file) {
    TrustSettings trust = trust_->settings();
    trust.keyFile = file.toStdString();
    trust_->setSettings(trust);
}

void SendForm::followDirection() {
    trust_->setListening(listen_->isChecked());
    address_->lineEdit()->setPlaceholderText(listen_->isChecked() ? "every address, port 7423" : "wall:7423");
}

SendSettings SendForm::settings() const {
    SendSettings settings;
    source_->read(settings);
    settings.size = size_->value().toStdString();
    settings.format = format_->value().toStdString();
    settings.rate = rate_->value().toStdString();
    settings.policy = policy_->value().toStdString();
    settings.listen = listen_->isChecked();
    (settings.listen ? settings.listenAddress : settings.peer) = address_->value().toStdString();
    (settings.listen ? settings.peer : settings.listenAddress) = otherAddress_.toStdString();
    settings.allowInput = allowInput_->isChecked();
    settings.trust = trust_->settings();
    settings.preview = preview_->isChecked();
    return settings;
}

void SendForm::setSettings(const SendSettings& settings) {
    {
        const QSignalBlocker quiet(this);
        source_->show(settings);
        size_->setValue(QString::fromStdString(settings.size));
        format_->setValue(QString::fromStdString(settings.format));
        rate_->setValue(QString::fromStdString(settings.rate));
        policy_->setValue(QString::fromStdString(settings.policy));
        (settings.listen ? listen_ : connect_)->setChecked(true);
        address_->setValue(QString::fromStdString(settings.listen ? settings.listenAddress : settings.peer));
        otherAddress_ = QString::fromStdString(settings.listen ? settings.peer : settings.listenAddress);
        allowInput_->setChecked(settings.allowInput);
        trust_->setSettings(settings.trust);
        preview_->setChecked(settings.preview);
    }
    followSource();
    Q_EMIT changed();
}

}  // namespace verbcast

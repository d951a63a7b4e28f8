#include "app/window/main/view_page.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTime>
#include <QVBoxLayout>

#include "app/view/view_options.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/parts/hint_list.h"
#include "app/window/picture/layout_words.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/settings/settings_problem.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

QLabel* heading(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    label->setIndent(0);
    label->setFont(theme::font(1.0, QFont::DemiBold));
    theme::setTone(*label, theme::Tone::Accent);
    return label;
}

// Roles of items in both lists.
constexpr int kAddressRole = Qt::UserRole;
constexpr int kListenRole = Qt::UserRole + 1;

RecentStream streamOf(const QListWidgetItem& item) {
    return {item.data(kAddressRole).toString(), item.data(kListenRole).toBool()};
}

}  // namespace

ViewPage::ViewPage(QWidget* parent)
    : QWidget(parent),
      connect_(new QRadioButton(tr("Connec&t to a sender"), this)),
      listen_(new QRadioButton(tr("&Wait for a sender"), this)),
      address_(
          new ChoiceCombo(tr("Address"),
                          tr("verbs://host:port, tcp://host:port, shm://name, or host:port for the best that "
                             "works. Several, with spaces between them, share a window"),
                          ChoiceCombo::Typing::Allowed, this)),
      trust_(new TrustForm(this)),
      layout_(new ChoiceCombo(tr("Layout"), tr("How several streams share the window; L changes it there"),
                              ChoiceCombo::Typing::No, this)),
      align_(new ChoiceCombo(tr("Together"),
                             tr("Which frames of several streams are shown together: stereo pairs and camera "
                                "arrays need matching ones"),
                             ChoiceCombo::Typing::No, this)),
      delay_(new ChoiceCombo(tr("Delay"),
                             tr("Milliseconds from capture, or from arrival where time stamps decide, to the "
                                "screen; empty: the smallest that suffices"),
                             ChoiceCombo::Typing::Allowed, this)),
      senders_(new ChoiceCombo(tr("Senders"), tr("Waiting: how many senders share the window"),
                               ChoiceCombo::Typing::Allowed, this)),
      fullscreen_(new QCheckBox(tr("&Fullscreen"), this)),
      input_(new QCheckBox(tr("Send keys and &mouse"), this)),
      open_(primaryButton(tr("&Open the stream"), this)),
      recent_(new HintList(tr("Addresses that you open are kept here"), this)),
      streams_(new HintList(tr("Streams that you open are listed here"), this)),
      close_(new QPushButton(tr("C&lose the stream"), this)),
      news_(new ElidedLabel(this)),
      problem_(new ProblemPanel(this)),
      command_(new CommandBar(this)) {
    const int line = theme::line();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(line, line * 3 / 4, line, line * 3 / 4);
    row->setSpacing(line * 5 / 4);
    row->addWidget(makeForm());
    row->addWidget(makeLists(), 1);
    connectParts();
    listRecent();
    trust_->setListening(false);
}

ViewPage::~ViewPage() = default;

QWidget* ViewPage::makeForm() {
    connect_->setChecked(true);
    connect_->setToolTip(tr("The sender waits for viewers"));
    listen_->setToolTip(tr("The sender connects to this machine"));
    fullscreen_->setToolTip(tr("The picture fills the screen; Esc leaves"));
    input_->setToolTip(
        tr("Keys, mouse and touch go to the sender, if it allows input; Right Ctrl takes them back"));
    open_->setToolTip(tr("Open the stream in a window of its own (Enter in the address)"));
    QList<Choice> layouts;
    for (const LayoutName& each : kLayouts) {
        const bool isDefault = each.layout == ViewOptions{}.layout;
        layouts.append({layoutWord(each.layout), isDefault ? "" : QString::fromUtf8(each.name),
                        sentence(inWindowLanguage(each.meaning))});
    }
    layout_->setChoices(layouts);
    align_->setChoices({{tr("newest"), ""}, {tr("by capture"), "capture"}, {tr("by time stamp"), "pts"}});
    delay_->setChoices({{"50", "50"}, {"100", "100"}, {"200", "200"}});
    delay_->lineEdit()->setPlaceholderText(tr("delay, ms"));
    delay_->setEnabled(false);
    QList<Choice> counts;
    for (const int count : {2, 4, 6, 9, 16, 64}) {
        counts.append(Choice{QString::number(count), QString::number(count)});
    }
    senders_->setChoices(counts);
    senders_->lineEdit()->setPlaceholderText(tr("one"));
    senders_->setEnabled(false);
    auto* sender = new FormGrid;
    sender->addHeading(tr("Sender"));
    sender->addField(connect_);
    sender->addField(listen_);
    sender->addField(tr("&Address"), address_);
    sender->addField(tr("Se&nders"), senders_);
    auto* window = new FormGrid;
    window->addHeading(tr("Window"));
    window->addField(tr("Layo&ut"), layout_);
    auto* together = new QHBoxLayout;
    together->setContentsMargins(0, 0, 0, 0);
    together->addWidget(align_, 3);
    together->addWidget(delay_, 2);
    auto* togetherFields = new QWidget(this);
    togetherFields->setLayout(together);
    togetherFields->setFocusProxy(align_);
    window->addField(tr("To&gether"), togetherFields);
    window->addField(fullscreen_);
    window->addField(input_);
    auto* side = new QWidget(this);
    side->setFixedWidth(theme::line() * 22);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::line() / 2);
    column->addLayout(sender);
    column->addSpacing(theme::line() / 2);
    column->addWidget(trust_);
    column->addSpacing(theme::line() / 2);
    column->addLayout(window);
    column->addStretch(1);
    column->addWidget(open_);
    return side;
}

QWidget* ViewPage::makeLists() {
    recent_->setAccessibleName(tr("Recent addresses"));
    recent_->setToolTip(tr("Enter or a double click opens the stream; Del forgets the address"));
    recent_->installEventFilter(this);
    streams_->setAccessibleName(tr("Open streams"));
    streams_->setToolTip(tr("Streams that are open in a window"));
    close_->setToolTip(tr("Close the window of the selected stream"));
    theme::setTone(*news_, theme::Tone::Muted);
    news_->setAccessibleName(tr("State"));
    news_->setTextFormat(Qt::PlainText);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(news_, 1);
    bottom->addWidget(close_);
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::line() / 2);
    column->addWidget(heading(tr("&Recent addresses"), recent_));
    column->addWidget(recent_, 3);
    column->addWidget(heading(tr("Open &streams"), streams_));
    column->addWidget(streams_, 2);
    column->addLayout(bottom);
    column->addWidget(problem_);
    column->addWidget(command_);
    return side;
}

void ViewPage::connectParts() {
    connect(listen_, &QRadioButton::toggled, this, [this] {
        trust_->setListening(listen_->isChecked());
        senders_->setEnabled(listen_->isChecked());
        listRecent();
    });
    connect(trust_, &TrustForm::changed, this, [this] { check(); });
    connect(align_, &ChoiceCombo::valueChanged, this,
            [this] { delay_->setEnabled(!align_->value().isEmpty()); });
    for (const ChoiceCombo* combo : {address_, layout_, align_, delay_, senders_}) {
        connect(combo, &ChoiceCombo::valueChanged, this, [this] { check(); });
    }
    for (const QCheckBox* box : {fullscreen_, input_}) {
        connect(box, &QCheckBox::toggled, this, [this] { check(); });
    }
    connect(address_->lineEdit(), &QLineEdit::returnPressed, this, &ViewPage::open);
    connect(open_, &QPushButton::clicked, this, &ViewPage::open);
    connect(recent_, &QListWidget::itemActivated, this, &ViewPage::openRecent);
    connect(close_, &QPushButton::clicked, this, &ViewPage::closeSelected);
    connect(streams_, &QListWidget::currentRowChanged, this,
            [this](int row) { close_->setEnabled(row >= 0); });
    close_->setEnabled(false);
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
        if (state == Qt::ApplicationActive) {
            listRecent();  // viewers have remembered some
        }
    });
}

bool ViewPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == recent_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
        forgetSelected();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

ViewSettings ViewPage::settings() const {
    return {.listen = listen_->isChecked(),
            .address = address_->value().toStdString(),
            .layout = layout_->value().toStdString(),
            .streams = senders_->value().toStdString(),
            // They number the streams that they were made for.
            .panes = address_->value().toStdString() == panesAddress_ ? panes_ : std::string(),
            .align = align_->value().toStdString(),
            .delay = delay_->value().toStdString(),
            .fullscreen = fullscreen_->isChecked(),
            .input = input_->isChecked(),
            .trust = trust_->settings()};
}

void ViewPage::setSettings(const ViewSettings& settings) {
    (settings.listen ? listen_ : connect_)->setChecked(true);
    address_->setValue(QString::fromStdString(settings.address));
    layout_->setValue(settings.layout == layoutName(ViewOptions{}.layout)
                          ? QString()
                          : QString::fromStdString(settings.layout));
    senders_->setValue(QString::fromStdString(settings.streams));
    panes_ = settings.panes;
    panesAddress_ = settings.address;
    align_->setValue(QString::fromStdString(settings.align));
    delay_->setValue(QString::fromStdString(settings.delay));
    fullscreen_->setChecked(settings.fullscreen);
    input_->setChecked(settings.input);
    trust_->setSettings(settings.trust);
    check();
}

void ViewPage::useKey(const QString& file) {
    TrustSettings trust = trust_->settings();
    trust.keyFile = file.toStdString();
    trust_->setSettings(trust);
}

bool ViewPage::check() {
    address_->lineEdit()->setPlaceholderText(listen_->isChecked() ? tr("every address, port 7423")
                                                                  : tr("this machine, port 7423"));
    command_->setCommand({});
    try {
        const Words words = viewCommand(settings());
        command_->setCommand(QString::fromStdString(shellLine(words)));
        checkCommand(words);
    } catch (const Error& error) {
        // The key's field shows what is wrong with the key.
        problem_->show(trust_->usable() ? std::optional(settingsProblem(error)) : std::nullopt);
        return false;
    }
    problem_->show(std::nullopt);
    return true;
}

void ViewPage::listRecent() {
    QList<Choice> choices;
    recent_->clear();
    for (const RecentStream& stream : recentStreams()) {
        if (stream.listen == listen_->isChecked()) {
            choices.append({stream.address, stream.address});
        }
        auto* item = new QListWidgetItem(
            stream.listen ? tr("wait at %1").arg(stream.address) : stream.address, recent_);
        item->setData(kAddressRole, stream.address);
        item->setData(kListenRole, stream.listen);
    }
    address_->setChoices(choices);
    if (recent_->count() > 0) {
        recent_->setCurrentRow(0);
    }
}

void ViewPage::open() {
    if (!check()) {
        return;
    }
    const ViewSettings wanted = settings();
    if (wanted.listen) {  // others are worth keeping once a picture has come: the viewer does it
        rememberStream({QString::fromStdString(wanted.address), true});
        listRecent();
    }
    const QString where = wanted.address.empty() ? tr("port 7423") : QString::fromStdString(wanted.address);
    auto* item = new QListWidgetItem((wanted.listen ? tr("waiting at %1, since %2") : tr("from %1, since %2"))
                                         .arg(where, QTime::currentTime().toString("HH:mm:ss")),
                                     streams_);
    item->setData(kAddressRole, where);
    streams_->setCurrentItem(item);
    ChildProgram& viewer = *(viewers_[item] = std::make_unique<ChildProgram>());
    // Queued: the handler destroys the viewer, which must not happen inside its own signal.
    connect(
        &viewer, &ChildProgram::ended, this, [this, item](const ChildEnd& end) { onEnded(item, end); },
        Qt::QueuedConnection);
    viewer.start(viewCommand(wanted));
}

void ViewPage::openRecent(const QListWidgetItem* item) {
    const RecentStream stream = streamOf(*item);
    (stream.listen ? listen_ : connect_)->setChecked(true);
    address_->setValue(stream.address);
    open();
}

void ViewPage::forgetSelected() {
    if (const QListWidgetItem* item = recent_->currentItem()) {
        forgetStream(streamOf(*item));
        listRecent();
    }
}

void ViewPage::closeSelected() {
    const auto viewer = viewers_.find(streams_->currentItem());
    if (viewer != viewers_.end()) {
        viewer->second->stop();
    }
}

void ViewPage::onEnded(QListWidgetItem* item, const ChildEnd& end) {
    const QString where = item->data(kAddressRole).toString();
    listRecent();
    viewers_.erase(item);
    delete item;
    news_->setFullText(end.problem              ? tr("%1: failed").arg(where)
                       : end.lastLine.isEmpty() ? tr("%1: closed").arg(where)
                                                : where + ": " + end.lastLine);
    if (end.problem) {
        Message problem = *end.problem;
        problem.title = tr("%1 cannot be shown").arg(where);
        problem_->show(problem);
    }
}

}  // namespace verbcast

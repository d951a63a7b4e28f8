#include "app/window/main/view_page.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTime>

#include "app/view/view_options.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/parts/hint_list.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/settings/settings_problem.h"
#include "app/window/streams/take.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

// Roles of items in both lists.
constexpr int kAddressRole = Qt::UserRole;
constexpr int kListenRole = Qt::UserRole + 1;

constexpr std::chrono::milliseconds kViewerPatience = kTakePatience + ChildProgram::kStopPatience;

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
      command_(new CommandBar(this)),
      fields_(this, &ViewPage::check) {
    layOutPage(*this, makeForm(), makeLists());
    connectParts();
    listRecent();
    trust_->setListening(false);
}

/// All at once: each may have a recording to complete, and is waited for.
ViewPage::~ViewPage() {
    for (const auto& [item, viewer] : viewers_) {
        viewer->stop();
    }
}

QWidget* ViewPage::makeForm() {
    connect_->setChecked(true);
    connect_->setToolTip(tr("The sender waits for viewers"));
    listen_->setToolTip(tr("The sender connects to this machine"));
    fullscreen_->setToolTip(tr("The picture fills the screen; Esc leaves"));
    input_->setToolTip(
        tr("Keys, mouse and touch go to the sender, if it allows input; Right Ctrl takes them back"));
    open_->setToolTip(tr("Open the stream in a window of its own (Enter in the address)"));
    QList<Choice> choices;
    for (const Layout& each : layouts()) {
        const bool isDefault = &each == ViewOptions{}.layout;
        choices.append({inWindowLanguage(each.title), isDefault ? "" : QString::fromUtf8(each.name),
                        sentence(inWindowLanguage(each.meaning))});
    }
    layout_->setChoices(choices);
    align_->setChoices({{tr("newest"), ""}, {tr("by capture"), "capture"}, {tr("by time stamp"), "pts"}});
    delay_->setChoices(plainChoices({"50", "100", "200"}));
    delay_->lineEdit()->setPlaceholderText(tr("delay, ms"));
    delay_->setEnabled(false);
    senders_->setChoices(plainChoices({"2", "4", "6", "9", "16", "64"}));
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
    QWidget* together = panelOf(rowOf(theme::line() / 3, {Part(align_, 3), Part(delay_, 2)}), this);
    together->setFocusProxy(align_);
    window->addField(tr("To&gether"), together);
    window->addField(fullscreen_);
    window->addField(input_);
    const Part gap = Part::space(theme::line() / 2);
    return formSide(this, {sender, gap, trust_, gap, window, Part::rest(), open_});
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
    return panelOf(
        columnOf(theme::line() / 2, {headingLabel(tr("&Recent addresses"), recent_), Part(recent_, 3),
                                     headingLabel(tr("Open &streams"), streams_), Part(streams_, 2),
                                     rowOf(theme::line() / 3, {Part(news_, 1), close_}), problem_, command_}),
        this);
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
    fields_.bind(address_, &ViewSettings::address);
    fields_.bind(layout_, &ViewSettings::layout);
    fields_.bind(senders_, &ViewSettings::streams);
    fields_.bind(align_, &ViewSettings::align);
    fields_.bind(delay_, &ViewSettings::delay);
    fields_.bind(fullscreen_, &ViewSettings::fullscreen);
    fields_.bind(input_, &ViewSettings::input);
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
    ViewSettings settings{.listen = listen_->isChecked(), .trust = trust_->settings()};
    fields_.read(settings);
    // Panes number the streams that they were made for.
    settings.panes = settings.address == panesAddress_ ? panes_ : std::string();
    return settings;
}

void ViewPage::setSettings(const ViewSettings& settings) {
    (settings.listen ? listen_ : connect_)->setChecked(true);
    fields_.show(settings);
    if (settings.layout == ViewOptions{}.layout->name) {
        layout_->setValue({});
    }
    panes_ = settings.panes;
    panesAddress_ = settings.address;
    trust_->setSettings(settings.trust);
    check();
}

bool ViewPage::check() {
    address_->lineEdit()->setPlaceholderText(listen_->isChecked() ? tr("every address, port 7423")
                                                                  : tr("this machine, port 7423"));
    return showCommand(*command_, *problem_, trust_->usable(), [this] { return viewCommand(settings()); });
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
    ChildProgram& viewer = *(viewers_[item] = std::make_unique<ChildProgram>(nullptr, kViewerPatience));
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

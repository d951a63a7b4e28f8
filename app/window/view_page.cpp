#include "app/window/view_page.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTime>
#include <QVBoxLayout>

#include "app/window/form.h"
#include "app/window/recent_addresses.h"
#include "app/window/settings_problem.h"
#include "app/window/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

QLabel* heading(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    label->setIndent(0);
    label->setFont(theme::font(1.0, QFont::DemiBold));
    label->setStyleSheet(QString("color: %1").arg(theme::kAccent.name()));
    return label;
}

// Of the lines of both lists, and of those of recent streams.
constexpr int kAddressRole = Qt::UserRole;
constexpr int kListenRole = Qt::UserRole + 1;

RecentStream streamOf(const QListWidgetItem& item) {
    return {item.data(kAddressRole).toString(), item.data(kListenRole).toBool()};
}

}  // namespace

ViewPage::ViewPage(QWidget* parent)
    : QWidget(parent),
      connect_(new QRadioButton("Connec&t to a sender", this)),
      listen_(new QRadioButton("&Wait for a sender", this)),
      address_(
          new ChoiceCombo("Address",
                          "verbs://host:port, tcp://host:port, shm://name, or host:port for the best that "
                          "works",
                          ChoiceCombo::Typing::Allowed, this)),
      trust_(new TrustForm(this)),
      fullscreen_(new QCheckBox("&Fullscreen", this)),
      input_(new QCheckBox("Send keys and &mouse", this)),
      open_(primaryButton("&Open the stream", this)),
      recent_(new QListWidget(this)),
      streams_(new QListWidget(this)),
      close_(new QPushButton("C&lose the stream", this)),
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
    connect_->setToolTip("The sender waits: verbcast send --listen");
    listen_->setToolTip("A sender connects to this machine: verbcast send --to");
    fullscreen_->setToolTip("The picture fills the screen; Esc leaves");
    input_->setToolTip(
        "Keys, mouse and touch go to the sender, if it allows input; Right Ctrl takes them back");
    open_->setToolTip("Open the stream in a window of its own (Enter in the address)");
    auto* sender = new FormGrid;
    sender->addHeading("Sender");
    sender->addField(connect_);
    sender->addField(listen_);
    sender->addField("&Address", address_);
    auto* window = new FormGrid;
    window->addHeading("Window");
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
    recent_->setAccessibleName("Recent addresses");
    recent_->setToolTip("Enter or a double click opens the stream; Del forgets the address");
    recent_->installEventFilter(this);
    streams_->setAccessibleName("Open streams");
    streams_->setToolTip("Streams that are open in a window");
    close_->setToolTip("Close the window of the selected stream");
    news_->setStyleSheet(QString("color: %1").arg(theme::kMuted.name()));
    news_->setAccessibleName("State");
    news_->setTextFormat(Qt::PlainText);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(news_, 1);
    bottom->addWidget(close_);
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::line() / 2);
    column->addWidget(heading("&Recent addresses", recent_));
    column->addWidget(recent_, 3);
    column->addWidget(heading("Open &streams", streams_));
    column->addWidget(streams_, 2);
    column->addLayout(bottom);
    column->addWidget(problem_);
    column->addWidget(command_);
    return side;
}

void ViewPage::connectParts() {
    connect(listen_, &QRadioButton::toggled, this, [this] {
        trust_->setListening(listen_->isChecked());
        listRecent();
    });
    connect(trust_, &TrustForm::changed, this, [this] { check(); });
    connect(address_, &ChoiceCombo::valueChanged, this, [this] { check(); });
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
            .fullscreen = fullscreen_->isChecked(),
            .input = input_->isChecked(),
            .trust = trust_->settings()};
}

void ViewPage::setSettings(const ViewSettings& settings) {
    (settings.listen ? listen_ : connect_)->setChecked(true);
    address_->setValue(QString::fromStdString(settings.address));
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
    address_->lineEdit()->setPlaceholderText(listen_->isChecked() ? "every address, port 7423"
                                                                  : "this machine, port 7423");
    command_->setCommand({});
    try {
        const Words words = viewCommand(settings());
        command_->setCommand(QString::fromStdString(shellLine(words)));
        checkCommand(words);
    } catch (const Error& error) {
        // What is wrong with the key is told at its field.
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
        auto* item =
            new QListWidgetItem(stream.listen ? "wait at " + stream.address : stream.address, recent_);
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
    rememberStream({QString::fromStdString(wanted.address), wanted.listen});
    listRecent();
    const QString where =
        wanted.address.empty() ? QString("port 7423") : QString::fromStdString(wanted.address);
    auto* item = new QListWidgetItem(
        QString("%1 %2, since %3")
            .arg(wanted.listen ? "waiting at" : "from", where, QTime::currentTime().toString("HH:mm:ss")),
        streams_);
    item->setData(kAddressRole, where);
    streams_->setCurrentItem(item);
    ChildProgram& viewer = *(viewers_[item] = std::make_unique<ChildProgram>());
    // Queued: the viewer is destroyed there, which its own signal must not do.
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
    viewers_.erase(item);
    delete item;
    const QString outcome = end.lastLine.isEmpty() ? "closed" : end.lastLine;
    news_->setFullText(where + ": " + (end.problem ? "failed" : outcome));
    if (end.problem) {
        Message problem = *end.problem;
        problem.title = where + " cannot be shown";
        problem_->show(problem);
    }
}

}  // namespace verbcast

#include "app/window/main/send_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QRegularExpression>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/cli/peer_options.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/settings/settings_problem.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kSettleTime{400};
constexpr qsizetype kNotesShown = 4;

}  // namespace

SendPage::SendPage(QWidget* parent)
    : QWidget(parent),
      form_(new SendForm(this)),
      start_(primaryButton(tr("&Start sending"), this)),
      preview_(new PreviewPane(this)),
      playback_(new PlaybackBar(this)),
      pairing_(new PairingBanner(this)),
      pairingOffer_(new PairingOffer(this)),
      state_(new QLabel(this)),
      padlock_(new PadlockBadge(this)),
      news_(new ElidedLabel(this)),
      copyAddress_(new QToolButton(this)),
      stats_(new StatsPanel(this)),
      problem_(new ProblemPanel(this)),
      notes_(new ProblemPanel(this)),
      command_(new CommandBar(this)) {
    start_->setToolTip(tr("Start or stop sending (Ctrl+Enter)"));
    layOutPage(*this, formSide(this, {Part(scrolled(form_, this), 1), start_}), makeResults());
    connectParts();
    showRunning();
}

QWidget* SendPage::makeResults() {
    const int line = theme::line();
    theme::setTone(*news_, theme::Tone::Muted);
    news_->setAccessibleName(tr("State"));
    news_->setTextFormat(Qt::PlainText);
    state_->setFont(theme::font(1.0, QFont::DemiBold));
    copyAddress_->setText(tr("Copy the address"));
    copyAddress_->setToolTip(tr("What viewers on other machines open"));
    copyAddress_->hide();
    notes_->setAccessibleName(tr("Notes"));
    QHBoxLayout* state = rowOf(line * 3 / 4, {state_, padlock_, Part(news_, 1), copyAddress_});
    return panelOf(columnOf(line / 2, {pairing_, state, Part(preview_, 3), playback_, problem_, notes_,
                                       Part(stats_, 1), command_}),
                   this);
}

void SendPage::connectParts() {
    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, this, &SendPage::followSettings);
    connect(form_, &SendForm::changed, this, &SendPage::settingsChanged);
    connect(form_, &SendForm::confirmed, this, &SendPage::toggle);
    connect(start_, &QPushButton::clicked, this, &SendPage::toggle);
    connect(&program_, &SenderProcess::said, this, &SendPage::onSaid);
    connect(&program_, &SenderProcess::stats, stats_, &StatsPanel::show);
    connect(&program_, &SenderProcess::stats, this, &SendPage::showProtection);
    connect(&program_, &SenderProcess::stats, this, [this](const SenderStats& stats) {
        needsPairing_ = stats.needsPairing;
        watched_ = !stats.receivers.empty();
        showRunning();
    });
    connect(&program_, &SenderProcess::pairing, pairing_,
            [this](const PairingNews& news) { pairing_->follow(news.invitation); });
    connect(&program_, &SenderProcess::playback, playback_, &PlaybackBar::show);
    connect(playback_, &PlaybackBar::commanded, &program_, &SenderProcess::write);
    connect(copyAddress_, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(address_); });
    connect(&program_, &SenderProcess::ended, this, &SendPage::onEnded);
    connect(pairingOffer_, &PairingOffer::paired, this, [this] {
        if (!sending()) {
            toggle();
        }
    });
}

void SendPage::begin() {
    begun_ = true;
    settingsChanged();
    followSettings();
}

void SendPage::useKey(const QString& file) {
    if (sending()) {
        nextKey_ = file;
    } else {
        form_->useKey(file);
    }
}

void SendPage::settingsChanged() {
    failed_ = false;
    if (!sending()) {
        sentNotes_ = false;
        noted_.clear();
        showNotes();
        check();
        settle_.start(kSettleTime);
    }
}

bool SendPage::check() {
    return showCommand(*command_, *problem_, form_->keyUsable(),
                       [this] { return sendCommand(form_->settings()); });
}

void SendPage::followSettings() {
    if (!begun_ || wanted_ == Job::Send) {
        return;
    }
    const SendSettings settings = form_->settings();
    const bool possible = needsConsent(settings).empty();
    if (settings.preview && possible && !failed_) {
        try {
            const Words words = SenderProcess::previewWords(settings);
            checkCommand(words);
            if (running_ != Job::Preview || words != previewed_) {
                want(Job::Preview);
            }
            return;
        } catch (const Error&) {
            // The problem is shown already, unless it concerns only sending.
        }
    }
    want(Job::None);
    if (running_ == Job::None) {
        preview_->showText(tr("No preview"),
                           !possible          ? tr("It is opened when sending starts, and appears here then")
                           : settings.preview ? QString()
                                              : tr("Preview is off"));
    }
}

void SendPage::toggle() {
    if (wanted_ == Job::Send) {
        wanted_ = Job::None;
        program_.stop();
        showRunning();
        return;
    }
    if (check() && form_->hasConsent()) {
        sent_ = form_->settings();
        want(Job::Send);
    }
}

/// Stops the running program first; onEnded() continues.
void SendPage::want(Job job) {
    wanted_ = job;
    if (program_.running()) {
        program_.stop();
    } else {
        run();
    }
    showRunning();
}

void SendPage::run() {
    settle_.stop();
    if (wanted_ == Job::None) {
        return;
    }
    if (wanted_ == Job::Send || !sentNotes_) {
        noted_.clear();
        showNotes();
    }
    sentNotes_ |= wanted_ == Job::Send;
    try {
        if (wanted_ == Job::Send) {
            needsPairing_ = false;
            watched_ = false;
            stats_->clear();
            news_->setFullText({});
            program_.send(sent_);
            showProtection({});
            rememberAddress(sent_.listen ? AddressUse::Listen : AddressUse::SendTo,
                            QString::fromStdString(sent_.listen ? sent_.listenAddress : sent_.peer));
        } else {
            const SendSettings settings = form_->settings();
            program_.preview(settings);
            previewed_ = SenderProcess::previewWords(settings);
        }
        running_ = wanted_;
        preview_->watch(program_.previewUrl());
    } catch (const Error& error) {
        wanted_ = Job::None;
        problem_->show(settingsProblem(error));
    }
}

void SendPage::onSaid(const QString& line) {
    if (takeNote(line)) {
        return;
    }
    if (running_ == Job::Send && !line.startsWith(' ')) {
        news_->setFullText(line.startsWith("verbcast: ") ? line.mid(10) : line);
        tellAddress(line);
    }
}

/// Notes and warnings stay until the next stream, or other settings; other lines say what the program does.
bool SendPage::takeNote(const QString& line) {
    static const QRegularExpression note("^(note|verbcast: (warning|error)): (.*)$");
    const QRegularExpressionMatch found = note.match(line);
    if (!found.hasMatch()) {
        return false;
    }
    if (isInvitation(line)) {
        return true;  // the banner tells of it, as long as its code is good
    }
    const QString text = sentence(inWindowWords(found.captured(3)));
    noted_.removeIf([&](const Note& old) { return old.text == text; });
    noted_.append({text, !found.captured(2).isEmpty()});
    if (noted_.size() > kNotesShown) {
        noted_.removeFirst();
    }
    showNotes();
    return true;
}

void SendPage::showNotes() {
    Message message;
    for (const Note& note : noted_) {
        message.text += (message.text.isEmpty() ? "" : "\n") + note.text;
        message.alarming = message.alarming || note.alarming;
    }
    notes_->show(noted_.isEmpty() ? std::nullopt : std::optional(message));
}

void SendPage::tellAddress(const QString& line) {
    const QString address = addressSaid(line);
    if (address.isEmpty()) {
        return;
    }
    address_ = address;
    news_->setFullText(tr("Viewers open %1").arg(address_));
    news_->setToolTip(line);
    copyAddress_->show();
}

void SendPage::onEnded(const ChildEnd& end) {
    const Job ended = std::exchange(running_, Job::None);
    const bool itself = !end.asked;
    preview_->release();
    if (itself) {
        wanted_ = Job::None;
    }
    if (!sending() && ended == Job::Send) {
        if (const auto file = std::exchange(nextKey_, std::nullopt)) {
            form_->useKey(*file);
        }
        check();  // files may have come and gone meanwhile
    }
    if (itself) {
        if (end.problem) {
            tellProblem(ended, *end.problem);
        }
    }
    if (ended == Job::Send) {
        copyAddress_->hide();
        padlock_->show({});
        pairing_->clear();
        playback_->clear();
        news_->setFullText(end.problem ? QString() : end.lastLine);
        form_->listAddresses();
    }
    if (wanted_ != Job::None) {
        run();
    } else if (!end.problem) {
        settle_.start(0);
    }
    showRunning();
}

void SendPage::tellProblem(Job ended, Message problem) {
    failed_ = true;
    if (ended == Job::Send && needsPairing_) {
        const Url url = parsePeer(sent_.peer).url;  // its host's key is good for all rails
        problem = {
            .title = tr("Not paired yet"),
            .text =
                tr("%1 serves paired hosts only, and shows a code now").arg(QString::fromStdString(url.host)),
            .remedy = tr("start sending again to type the code")};
        pairingOffer_->open(url);
    } else {
        problem.title = ended == Job::Send ? tr("Sending has failed") : tr("The source cannot be shown");
    }
    problem_->show(problem);
    // It may have been logged before the program ended.
    noted_.removeIf([&](const Note& note) { return note.text == sentence(problem.text); });
    showNotes();
    preview_->showText(problem.title, "");
}

void SendPage::showRunning() {
    const bool busy = sending();
    const bool stopping = running_ == Job::Send && wanted_ != Job::Send;
    if (form_->isEnabled() == busy) {
        form_->setEnabled(!busy);
        start_->setText(busy ? tr("S&top") : tr("&Start sending"));
        if (busy) {
            start_->setFocus();
        }
        Q_EMIT sendingChanged();
    }
    start_->setEnabled(!stopping);
    if (busy && !stopping && !watched_) {
        showState(sent_.listen ? tr("\u25cb Waiting for a viewer") : tr("\u25cb Waiting for the viewer"),
                  theme::Tone::Muted);
    } else if (busy) {
        showState(stopping ? tr("\u25cf Stopping") : tr("\u25cf Sending"), theme::Tone::Accent);
    } else if (running_ == Job::Preview) {
        showState(tr("\u25cb Preview"), theme::Tone::Muted);
    } else {
        showState(tr("\u25cb Idle"), theme::Tone::Muted);
    }
}

/// The protection of all viewers together is the weakest one's.
void SendPage::showProtection(const SenderStats& stats) {
    PadlockState padlock{.protection = std::nullopt, .open = opensToAnybody(sent_.trust, sent_.listen)};
    for (const SenderStats::Receiver& receiver : stats.receivers) {
        padlock.protection = std::min(padlock.protection.value_or(receiver.protection), receiver.protection);
    }
    padlock_->show(padlock);
}

void SendPage::showState(const QString& state, theme::Tone tone) {
    state_->setText(state);
    theme::setTone(*state_, tone);
}

}  // namespace verbcast

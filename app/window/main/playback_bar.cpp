#include "app/window/main/playback_bar.h"

#include <QShortcut>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

/// "0:07.4", "1:02:07.4"
QString playbackTime(double seconds) {
    const auto tenths = static_cast<qint64>(std::max(0.0, seconds) * 10);
    const qint64 whole = tenths / 10;
    const QString hours = whole >= 3600 ? QString("%1:").arg(whole / 3600) : QString();
    return hours + QString("%1:%2.%3")
                       .arg(whole / 60 % 60, hours.isEmpty() ? 1 : 2, 10, QChar('0'))
                       .arg(whole % 60, 2, 10, QChar('0'))
                       .arg(tenths % 10);
}

}  // namespace

PlaybackBar::PlaybackBar(QWidget* parent)
    : QWidget(parent),
      pause_(new QPushButton(tr("Pause"), this)),
      previous_(new QPushButton("\u2039", this)),
      next_(new QPushButton("\u203a", this)),
      place_(new QSlider(Qt::Horizontal, this)),
      time_(new QLabel(this)) {
    pause_->setToolTip(tr("Pause or resume the file (Ctrl+Space)"));
    pause_->setMinimumWidth(theme::line() * 4);
    previous_->setToolTip(tr("The previous picture (Ctrl+Shift+Left)"));
    previous_->setAccessibleName(tr("Previous picture"));
    next_->setToolTip(tr("The next picture (Ctrl+Shift+Right)"));
    next_->setAccessibleName(tr("Next picture"));
    for (QPushButton* button : {previous_, next_}) {
        button->setFixedWidth(theme::line() * 2);
    }
    place_->setToolTip(tr("Where in the file the sender is (Ctrl+Left and Ctrl+Right: 5 seconds)"));
    place_->setAccessibleName(tr("Position in the file"));
    place_->setTracking(false);  // each change is a seek, so not while dragging
    time_->setAccessibleName(tr("Position and duration"));
    time_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    setLayout(rowOf(theme::line() / 3, {pause_, previous_, next_, Part(place_, 1), time_}));

    connect(pause_, &QPushButton::clicked, this, &PlaybackBar::pauseOrPlay);
    connect(previous_, &QPushButton::clicked, this, &PlaybackBar::previous);
    connect(next_, &QPushButton::clicked, this, &PlaybackBar::next);
    connect(place_, &QSlider::valueChanged, this, [this](int milliseconds) { seek(milliseconds * 1e-3); });
    addKey(QKeySequence("Ctrl+Space"), &PlaybackBar::pauseOrPlay);
    addKey(QKeySequence("Ctrl+Shift+Left"), &PlaybackBar::previous);
    addKey(QKeySequence("Ctrl+Shift+Right"), &PlaybackBar::next);
    addKey(QKeySequence("Ctrl+Left"), &PlaybackBar::backward);
    addKey(QKeySequence("Ctrl+Right"), &PlaybackBar::forward);
    hide();
}

void PlaybackBar::addKey(const QKeySequence& keys, void (PlaybackBar::*slot)()) {
    connect(new QShortcut(keys, this), &QShortcut::activated, this, slot);  // inactive while hidden
}

void PlaybackBar::pauseOrPlay() {
    Q_EMIT commanded(news_.paused ? "play\n" : "pause\n");
}

void PlaybackBar::seek(double seconds) {
    news_.position = std::clamp(seconds, 0.0, news_.duration.value_or(seconds + kJump));
    Q_EMIT commanded("seek " + QByteArray::number(news_.position, 'f', 3) + "\n");
}

void PlaybackBar::show(const PlaybackNews& news) {
    news_ = news;
    pause_->setText(news.paused ? tr("Play") : tr("Pause"));
    place_->setEnabled(news.duration.has_value());
    if (!place_->isSliderDown()) {
        const QSignalBlocker quiet(place_);
        place_->setRange(0, static_cast<int>(news.duration.value_or(0) * 1000));
        place_->setPageStep(static_cast<int>(kJump * 1000));
        place_->setSingleStep(1000);
        place_->setValue(static_cast<int>(news.position * 1000));
    }
    const QString position = playbackTime(news.position);
    time_->setText(news.duration ? position + " / " + playbackTime(*news.duration) : position);
    setVisible(true);
}

void PlaybackBar::clear() {
    hide();
    news_ = {};
}

}  // namespace verbcast

#include "app/window/status_strip.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <string>
#include <utility>

#include "app/window/theme.h"

namespace verbcast {
namespace {

struct Unit {
    double microseconds;
    const char* name;
};

Unit unitFor(double microseconds) {
    if (microseconds >= 1e6) {
        return {1e6, "s"};
    }
    if (microseconds >= 1e3) {
        return {1e3, "ms"};
    }
    return {1, "\u00b5s"};
}

QString threeDigits(double value) {
    return QString::number(value, 'f', value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

QString inUnit(double microseconds, const Unit& unit) {
    const double value = microseconds / unit.microseconds;
    return unit.microseconds == 1 ? QString::number(value, 'f', 0) : threeDigits(value);
}

QColor badgeColour(const std::string& transport) {
    if (transport == "verbs") {
        return theme::kAccent;
    }
    return transport == "shm" ? QColor(0x7a, 0xb0, 0xf0) : theme::kSecond;
}

QString pill(const QColor& colour, const char* widget = "QLabel") {
    return QString("%1 { color: %2; border: 1px solid %2; border-radius: %3px; padding: 1px %4px; }")
        .arg(widget, colour.name())
        .arg(theme::line() / 4)
        .arg(theme::line() / 2);
}

void setColour(QWidget* widget, const QColor& colour) {
    QPalette palette = widget->palette();
    palette.setColor(QPalette::WindowText, colour);
    widget->setPalette(palette);
}

}  // namespace

QString durationText(double microseconds) {
    const Unit unit = unitFor(microseconds);
    return inUnit(microseconds, unit) + ' ' + unit.name;
}

QString durationPairText(double first, double second) {
    const Unit unit = unitFor(std::max(first, second));
    return inUnit(first, unit) + " / " + inUnit(second, unit) + ' ' + unit.name;
}

void ElidedLabel::setFullText(const QString& text) {
    if (text != full_) {
        full_ = text;
        setToolTip(text);
        setAccessibleDescription(text);
        elide();
    }
}

QSize ElidedLabel::minimumSizeHint() const {
    return {theme::line() * 6, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::elide() {
    setText(fontMetrics().elidedText(full_, Qt::ElideRight, width()));
}

MetricCell::MetricCell(const QString& caption, const QString& widest, const QString& explanation,
                       QWidget* parent)
    : QWidget(parent), value_(new QLabel("\u2013", this)) {
    auto* captionLabel = new QLabel(caption, this);
    captionLabel->setFont(theme::font(0.78));
    setColour(captionLabel, theme::kMuted);
    value_->setFont(theme::font(1.08, QFont::Medium));
    value_->setMinimumWidth(QFontMetrics(value_->font()).horizontalAdvance(widest));
    value_->setAccessibleName(caption);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme::line() / 8);
    layout->addStretch();
    layout->addWidget(captionLabel);
    layout->addWidget(value_);
    layout->addStretch();
    setToolTip(explanation);
}

void MetricCell::setValue(const QString& value, bool alarming) {
    if (value != value_->text()) {
        value_->setText(value);
    }
    if (std::exchange(alarming_, alarming) != alarming) {
        setColour(value_, alarming ? theme::kWarning : theme::kText);
    }
}

StatusStrip::StatusStrip(QWidget* parent)
    : QFrame(parent),
      padlock_(new PadlockBadge(this)),
      badge_(new QLabel(this)),
      paused_(new QLabel("paused", this)),
      input_(makeInputButton()),
      peer_(new ElidedLabel(this)),
      picture_(new ElidedLabel(this)),
      framesPerSecond_(new MetricCell("Frames/s", "59.94", "Frames that arrive per second", this)),
      throughput_(new MetricCell("GB/s", "1.99", "Pixels that arrive, in 10\u2079 bytes per second", this)),
      latency_(new MetricCell(
          "Latency p50 / p99", "88.8 / 88.8 ms",
          "From the sender submitting a frame to its arrival here: median and 99th percentile", this)),
      dropped_(
          new MetricCell("Dropped", "00000", "Frames that the sender offered but that never arrived", this)),
      skipped_(
          new MetricCell("Skipped", "00000", "Frames that arrived when a newer one was already there", this)),
      zoom_(new MetricCell("Zoom", "100 %", "Screen pixels per picture pixel (0 fits, 1 is 1:1)", this)),
      plot_(new ThroughputPlot(this)) {
    setAccessibleName("Stream status");
    const int unit = theme::line();
    badge_->setFont(theme::font(0.92, QFont::DemiBold));
    badge_->setAccessibleName("Transport");
    badge_->hide();
    paused_->setFont(theme::font(0.92, QFont::DemiBold));
    paused_->setStyleSheet(pill(theme::kSecond));
    paused_->hide();
    peer_->setFont(theme::font(1.0, QFont::Medium));
    peer_->setAccessibleName("Peer");
    setColour(picture_, theme::kMuted);
    picture_->setFont(theme::font(0.92));
    picture_->setAccessibleName("Picture");

    auto* top = new QHBoxLayout;
    top->setSpacing(unit / 2);
    top->addWidget(padlock_);
    top->addWidget(badge_);
    top->addWidget(paused_);
    top->addWidget(input_);
    top->addWidget(peer_, 1);
    auto* left = new QVBoxLayout;
    left->setSpacing(unit / 4);
    left->addStretch();
    left->addLayout(top);
    left->addWidget(picture_);
    left->addStretch();

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(unit * 3 / 4, unit / 3, unit / 2, unit / 3);
    row->setSpacing(unit);
    row->addLayout(left, 1);
    for (MetricCell* cell : {framesPerSecond_, throughput_, latency_, dropped_, skipped_, zoom_}) {
        row->addWidget(cell);
    }
    row->addWidget(plot_);
    setFixedHeight(unit * 15 / 4);
}

QToolButton* StatusStrip::makeInputButton() {
    auto* button = new QToolButton(this);
    button->setFont(theme::font(0.92, QFont::DemiBold));
    button->setAccessibleName("Input");
    // Typing goes on where it was when the button is clicked.
    button->setFocusPolicy(Qt::NoFocus);
    button->hide();
    connect(button, &QToolButton::clicked, this, &StatusStrip::inputClicked);
    return button;
}

void StatusStrip::showInput(InputState state) {
    if (std::exchange(shownInput_, state) == state) {
        return;
    }
    input_->setVisible(state != InputState::NoStream);
    if (state == InputState::Refused) {
        input_->setText("no input");
        input_->setToolTip("The sender takes no keys and no mouse: input is not allowed there");
        input_->setStyleSheet(pill(theme::kMuted, "QToolButton"));
    } else if (state == InputState::Off) {
        input_->setText("send input");
        input_->setToolTip("Click or press Right Ctrl: keys, mouse and touch go to the sender");
        input_->setStyleSheet(pill(theme::kText, "QToolButton"));
    } else if (state == InputState::On) {
        input_->setText("sending input: Right Ctrl stops");
        input_->setToolTip(
            "Keys, mouse and touch go to the sender. Hold Right Ctrl to use the viewer's own keys");
        input_->setStyleSheet(pill(theme::kAccent, "QToolButton"));
    }
}

void StatusStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    // What matters least goes first when the window is narrow.
    const int lines = width() / theme::line();
    plot_->setVisible(lines >= 62);
    zoom_->setVisible(lines >= 46);
    skipped_->setVisible(lines >= 42);
    dropped_->setVisible(lines >= 38);
    latency_->setVisible(lines >= 32);
}

void StatusStrip::setContent(const StripContent& content, const ThroughputHistory& history, TimestampNs now) {
    padlock_->show(content.padlock);
    showConnection(content);
    showInput(content.input);
    const bool streaming = content.status.state == StreamState::Streaming;
    showNumbers(content, streaming ? history.latest() : Throughput{});
    plot_->show(history, now);
}

void StatusStrip::showConnection(const StripContent& content) {
    const ReceiverStatus& status = content.status;
    const QString transport = QString::fromStdString(status.channel.transport);
    badge_->setVisible(!transport.isEmpty());
    if (badge_->text() != transport) {
        badge_->setText(transport);
        badge_->setStyleSheet(pill(badgeColour(status.channel.transport)));
    }
    const QString reason = QString::fromStdString(status.transportReason);
    const QString detail = QString::fromStdString(status.channel.detail);
    badge_->setToolTip(reason.isEmpty() ? detail : transport + ": " + reason + "\n" + detail);
    paused_->setVisible(content.paused);

    QStringList who;
    if (transport.isEmpty()) {
        who << QString::fromStdString(status.text);
    } else {
        who << QString::fromStdString(status.peerName) << QString::fromStdString(status.channel.peer)
            << (reason.isEmpty() ? QString() : "(" + reason + ")");
    }
    who.removeAll(QString());
    who.removeDuplicates();
    peer_->setFullText(who.join("  "));

    QStringList what;
    if (content.stats.format) {
        what << QString::fromStdString(describe(*content.stats.format));
    }
    what << content.colourNote;
    what.removeAll(QString());
    picture_->setFullText(what.join("  \u00b7  "));
    picture_->setToolTip(what.join("\n") +
                         (content.uploadNote.isEmpty() ? "" : "\nUpload " + content.uploadNote));
}

void StatusStrip::showNumbers(const StripContent& content, const Throughput& rate) {
    const StreamStats& stats = content.stats;
    const bool any = stats.framesTransferred > 0;
    const QString none = "\u2013";
    framesPerSecond_->setValue(
        any ? QString::number(rate.framesPerSecond, 'f', rate.framesPerSecond < 100 ? 1 : 0) : none);
    throughput_->setValue(any ? QString::number(rate.gigabytesPerSecond, 'f', 2) : none);
    latency_->setValue(any ? durationPairText(stats.latency.p50, stats.latency.p99) : none);
    latency_->setToolTip(
        stats.clockErrorUs > 0
            ? QString("Between two hosts: clocks agree to within %1").arg(durationText(stats.clockErrorUs))
            : QString("Median and 99th percentile, from the sender submitting a frame to its arrival here"));
    dropped_->setValue(QString::number(stats.framesDropped), stats.framesDropped > 0);
    skipped_->setValue(QString::number(stats.framesSkipped));
    zoom_->setValue(any ? QString("%1 %").arg(content.zoomPercent, 0, 'f', content.zoomPercent < 9.95 ? 1 : 0)
                        : none);
}

}  // namespace verbcast

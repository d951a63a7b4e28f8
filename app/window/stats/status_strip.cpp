#include "app/window/stats/status_strip.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "app/cli/options/glossary.h"
#include "app/cli/options/values.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/stats/stats_text.h"
#include "app/window/stats/summary.h"
#include "app/window/style/theme.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

theme::Tone badgeTone(const std::string& transport) {
    if (transportHas(transport, &Transport::needsRdma)) {
        return theme::Tone::Accent;
    }
    return transportHas(transport, &Transport::sharesMemory) ? theme::Tone::Third : theme::Tone::Second;
}

void makePill(QWidget& widget, theme::Tone tone) {
    theme::setFrame(widget, theme::Frame::Pill);
    theme::setTone(widget, tone);
}

}  // namespace

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
    : QWidget(parent), value_(new QLabel(kUnknown, this)) {
    auto* captionLabel = new QLabel(caption, this);
    captionLabel->setFont(theme::font(0.78));
    theme::setTone(*captionLabel, theme::Tone::Muted);
    value_->setFont(theme::font(1.08, QFont::Medium));
    value_->setMinimumWidth(QFontMetrics(value_->font()).horizontalAdvance(widest));
    value_->setAccessibleName(caption);
    setLayout(columnOf(theme::line() / 8, {Part::rest(), captionLabel, value_, Part::rest()}));
    setToolTip(explanation);
}

void MetricCell::setValue(const QString& value, bool alarming) {
    if (value != value_->text()) {
        value_->setText(value);
    }
    if (std::exchange(alarming_, alarming) != alarming) {
        theme::setTone(*value_, alarming ? theme::Tone::Warning : theme::Tone::Text);
    }
}

StatusStrip::StatusStrip(QWidget* parent)
    : QFrame(parent),
      padlock_(new PadlockBadge(this)),
      badge_(new QLabel(this)),
      recording_(new QLabel(this)),
      paused_(new QLabel(tr("paused"), this)),
      muted_(new QLabel(tr("muted"), this)),
      record_(makeButton(tr("Record"))),
      input_(makeButton(tr("Input"))),
      peer_(new ElidedLabel(this)),
      picture_(new ElidedLabel(this)),
      framesPerSecond_(new MetricCell(tr("Arriving/s"), "59.94", tr("Frames that arrive per second"), this)),
      shownPerSecond_(
          new MetricCell(tr("Shown/s"), "59.94", tr("Frames that reach the screen per second"), this)),
      throughput_(
          new MetricCell("GB/s", "1.99", tr("Pixels that arrive, in 10\u2079 bytes per second"), this)),
      toArrival_(new MetricCell(tr("Arrival p50 / p99"), "88.8 / 88.8 ms", {}, this)),
      toScreen_(new MetricCell(tr("Screen p50 / p99"), "88.8 / 88.8 ms", {}, this)),
      dropped_(new MetricCell(tr("Dropped"), "00000", inWindowLanguage(kDroppedHelp), this)),
      skipped_(new MetricCell(tr("Skipped"), "00000", inWindowLanguage(kSkippedHelp), this)),
      zoom_(new MetricCell(tr("Zoom"), "100 %", tr("Screen pixels per picture pixel (0 fits, 1 is 1:1)"),
                           this)),
      plot_(new ThroughputPlot(this)) {
    setAccessibleName(tr("Stream status"));
    const int unit = theme::line();
    for (QLabel* pill : {badge_, recording_, paused_, muted_}) {
        pill->setFont(theme::font(0.92, QFont::DemiBold));
        pill->setTextFormat(Qt::PlainText);
        pill->hide();
    }
    badge_->setAccessibleName(tr("Transport"));
    theme::setFrame(*badge_, theme::Frame::Pill);
    recording_->setAccessibleName(tr("Recording"));
    makePill(*recording_, theme::Tone::Recording);
    paused_->setToolTip(inWindowLanguage(kPausedHelp));
    makePill(*paused_, theme::Tone::Second);
    muted_->setToolTip(tr("The sound is off: M turns it on"));
    makePill(*muted_, theme::Tone::Second);
    peer_->setFont(theme::font(1.0, QFont::Medium));
    peer_->setAccessibleName(tr("Peer"));
    theme::setTone(*picture_, theme::Tone::Muted);
    picture_->setFont(theme::font(0.92));
    picture_->setAccessibleName(tr("Picture"));

    connect(input_, &QToolButton::clicked, this, &StatusStrip::inputClicked);
    connect(record_, &QToolButton::clicked, this, &StatusStrip::recordClicked);
    QHBoxLayout* top =
        rowOf(unit / 2, {padlock_, badge_, recording_, paused_, muted_, input_, record_, Part(peer_, 1)});
    left_ = columnOf(unit / 4, {Part::rest(), top, picture_, Part::rest()});
    QHBoxLayout* row = rowOf(unit, {Part(left_, 1), framesPerSecond_, shownPerSecond_, throughput_,
                                    toArrival_, toScreen_, dropped_, skipped_, zoom_, plot_});
    row->setContentsMargins(unit * 3 / 4, unit / 3, unit / 2, unit / 3);
    setLayout(row);
    setFixedHeight(unit * 15 / 4);
}

QToolButton* StatusStrip::makeButton(const QString& name) {
    auto* button = new QToolButton(this);
    button->setFont(theme::font(0.92, QFont::DemiBold));
    button->setAccessibleName(name);
    // Clicking the button must not move the keyboard focus.
    button->setFocusPolicy(Qt::NoFocus);
    button->hide();
    return button;
}

void StatusStrip::showInput(InputState state) {
    if (std::exchange(shownInput_, state) == state) {
        return;
    }
    input_->setVisible(state != InputState::NoStream);
    if (state == InputState::Refused) {
        input_->setText(tr("no input"));
        input_->setToolTip(tr("The sender does not accept keys or mouse: input is not allowed there"));
        makePill(*input_, theme::Tone::Muted);
    } else if (state == InputState::Off) {
        input_->setText(tr("send input"));
        input_->setToolTip(tr("Click or press Right Ctrl: keys, mouse and touch go to the sender"));
        makePill(*input_, theme::Tone::Text);
    } else if (state == InputState::On) {
        input_->setText(isNarrow() ? tr("sending input") : tr("sending input: Right Ctrl stops"));
        input_->setToolTip(
            tr("Keys, mouse and touch go to the sender. Hold Right Ctrl to use the viewer's own keys"));
        makePill(*input_, theme::Tone::Accent);
    }
}

void StatusStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitParts();
}

bool StatusStrip::isNarrow() const {
    return width() < theme::line() * 36;
}

/// What fits beside the names is shown, in this order.
void StatusStrip::fitParts() {
    const QMargins margins = layout()->contentsMargins();
    const int spacing = layout()->spacing();
    int room = width() - margins.left() - margins.right() -
               std::max(left_->minimumSize().width(), theme::line() * (hasSound_ ? 45 : 14));
    for (QWidget* part :
         std::initializer_list<QWidget*>{framesPerSecond_, shownPerSecond_, toScreen_, dropped_, toArrival_,
                                         throughput_, skipped_, zoom_, plot_}) {
        const int needed = spacing + (part == plot_ ? part->sizeHint() : part->minimumSizeHint()).width();
        part->setVisible(needed <= room);
        room -= needed <= room ? needed : 0;
    }
}

QSize StatusStrip::minimumSizeHint() const {
    const QMargins margins = layout()->contentsMargins();
    return {left_->minimumSize().width() + margins.left() + margins.right(), height()};
}

void StatusStrip::setContent(const StripContent& content, const ThroughputHistory& history, TimestampNs now) {
    padlock_->show(content.padlock);
    if (std::exchange(wasNarrow_, isNarrow()) != isNarrow()) {
        shownInput_ = InputState::NoStream;
    }
    showRecording(content);
    showConnection(content);
    showInput(content.input);
    const bool streaming = content.status.state == StreamState::Streaming;
    showNumbers(content, streaming ? history.latest() : Throughput{});
    plot_->show(history, now);
    fitParts();
}

void StatusStrip::showRecording(const StripContent& content) {
    const bool stops = content.record == RecordChoice::Stop;
    record_->setVisible(stops || (content.record == RecordChoice::Start &&
                                  (content.stats.framesTransferred > 0 || content.stats.sound)));
    record_->setText(stops ? tr("stop") : tr("record"));
    record_->setToolTip(stops ? tr("Stop recording and complete the file (Ctrl+R)")
                              : tr("Record every frame of this stream into the folder for videos (Ctrl+R)"));
    makePill(*record_, stops ? theme::Tone::Recording : theme::Tone::Text);
    recording_->setVisible(content.recording.has_value());
    if (!content.recording) {
        return;
    }
    const RecordingStatus& recording = *content.recording;
    const QString size = QString::fromStdString(sizeText(recording.bytes));
    const QString name =
        isNarrow()
            ? QString()
            : fontMetrics().elidedText(content.recordingName, Qt::ElideMiddle, theme::line() * 8) + "  ";
    const bool none = recording.problem.empty() && recording.bytes == 0;
    QString text = none                        ? tr("\u25cb REC  %1nothing yet").arg(name)
                   : recording.problem.empty() ? tr("\u25cf REC  %1%2").arg(name, size)
                                               : tr("\u25cb REC stopped  %1%2").arg(name, size);
    theme::setTone(*recording_, none ? theme::Tone::Muted : theme::Tone::Recording);
    if (recording.leftOut > 0) {
        text += "  " + tr("%n missing", nullptr, static_cast<int>(recording.leftOut));
    }
    if (recording.room && !isNarrow()) {
        text += "  " + tr("%1 free").arg(QString::fromStdString(sizeText(*recording.room)));
    }
    if (text != recording_->text()) {
        recording_->setText(text);
        recording_->setToolTip(
            tr("%1: %n frames, %2", nullptr, static_cast<int>(recording.frames))
                .arg(content.recordingName, size) +
            (recording.leftOut > 0
                 ? "\n" + tr("%n frames arrived while writing was behind, and are not in the file", nullptr,
                             static_cast<int>(recording.leftOut))
                 : QString()));
    }
}

void StatusStrip::showConnection(const StripContent& content) {
    const ReceiverStatus& status = content.status;
    const QString transport = QString::fromStdString(status.channel.transport);
    badge_->setVisible(!transport.isEmpty());
    if (badge_->text() != transport) {
        badge_->setText(transport);
        theme::setTone(*badge_, badgeTone(status.channel.transport));
    }
    const QString reason = inWindowLanguage(status.transportReason);
    const QString detail = QString::fromStdString(status.channel.detail);
    badge_->setToolTip(reason.isEmpty() ? detail : transport + ": " + reason + "\n" + detail);
    paused_->setVisible(content.paused);
    muted_->setVisible(content.muted && content.stats.sound);

    QStringList who;
    if (transport.isEmpty()) {
        who << inWindowLanguage(status.text);
    } else {
        who << QString::fromStdString(status.peerName) << QString::fromStdString(status.channel.peer)
            << (reason.isEmpty() ? QString() : "(" + reason + ")");
    }
    who.removeAll(QString());
    who.removeDuplicates();
    peer_->setFullText(who.join("  "));

    const std::vector<RailStats>& rails = content.stats.rails;
    theme::setTone(*picture_, anyRailIsDown(rails) ? theme::Tone::Warning : theme::Tone::Muted);
    QStringList what{content.alignmentNote};
    if (content.stats.format) {
        what << QString::fromStdString(describe(*content.stats.format));
    }
    hasSound_ = content.stats.sound.has_value();
    if (content.stats.sound) {
        what << soundText(*content.stats.sound);
    }
    what << content.colourNote;
    what.removeAll(QString());
    const QString picture = what.join("  \u00b7  ");
    picture_->setFullText(rails.empty() ? picture : railsText(rails) + "  \u00b7  " + picture);
    if (!rails.empty()) {
        what.prepend(railsDetails(rails));
    }
    if (content.stats.sound) {
        what << soundDetails(*content.stats.sound);
    }
    picture_->setToolTip(what.join("\n") + (content.uploadNote.isEmpty()
                                                ? QString()
                                                : "\n" + tr("Upload %1").arg(content.uploadNote)));
}

void StatusStrip::showNumbers(const StripContent& content, const Throughput& rate) {
    const StreamStats& stats = content.stats;
    const bool any = stats.framesTransferred > 0;
    const auto perSecond = [any](double value) {
        return any ? QString::number(value, 'f', value < 100 ? 1 : 0) : kUnknown;
    };
    framesPerSecond_->setValue(perSecond(rate.framesPerSecond));
    const bool shownLess = rate.shownPerSecond < 0.9 * rate.framesPerSecond - 1;
    shownPerSecond_->setValue(perSecond(rate.shownPerSecond), shownLess && !content.paused);
    throughput_->setValue(any ? QString::number(rate.gigabytesPerSecond, 'f', 2) : kUnknown);
    const QString clocks =
        stats.clockErrorUs > 0
            ? "\n" + tr("Between two hosts: clocks agree to within %1").arg(durationText(stats.clockErrorUs))
            : QString();
    toArrival_->setValue(latencyText(stats.latency));
    toArrival_->setToolTip(
        tr("Median and 99th percentile, from the sender submitting a frame to its arrival here") + clocks);
    toScreen_->setValue(latencyText(stats.latencyToScreen));
    toScreen_->setToolTip(
        tr("Median and 99th percentile, from the sender submitting a frame to its being shown here") +
        clocks);
    dropped_->setValue(QString::number(stats.framesDropped), stats.framesDropped > 0);
    skipped_->setValue(QString::number(stats.framesSkipped));
    zoom_->setValue(any ? QString("%1 %").arg(content.zoomPercent, 0, 'f', content.zoomPercent < 9.95 ? 1 : 0)
                        : kUnknown);
}

}  // namespace verbcast

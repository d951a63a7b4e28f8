// The status line under the picture: connection, format, rates and latency.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QToolButton>
#include <optional>

#include "app/view/recording/recorder.h"
#include "app/window/input/input_mode.h"
#include "app/window/stats/throughput_plot.h"
#include "app/window/trust/padlock.h"
#include "core/stats/stream_stats.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// A label that elides its text instead of asking for room; the tool tip has the full text.
class ElidedLabel : public QLabel {
    Q_OBJECT
  public:
    using QLabel::QLabel;
    void setFullText(const QString& text);
    QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void elide();
    QString full_;
};

/// A caption over a value. Reserves the width of `widest`, so that changing digits do not move the strip.
class MetricCell : public QWidget {
    Q_OBJECT
  public:
    MetricCell(const QString& caption, const QString& widest, const QString& explanation,
               QWidget* parent = nullptr);
    void setValue(const QString& value, bool alarming = false);

  private:
    QLabel* value_;
    bool alarming_ = false;
};

enum class RecordChoice { None, Start, Stop };

struct StripContent {
    ReceiverStatus status;
    StreamStats stats;
    QString colourNote;     ///< "PQ tone-mapped to SDR"
    QString uploadNote;     ///< which upload path and why
    QString alignmentNote;  ///< how well several streams are aligned
    double zoomPercent = 100;
    bool paused = false;
    bool muted = false;
    PadlockState padlock;
    InputState input = InputState::NoStream;
    std::optional<RecordingStatus> recording;
    QString recordingName;  ///< file name without its folder
    RecordChoice record = RecordChoice::None;
};

/// Updated a few times a second, never per frame.
class StatusStrip : public QFrame {
    Q_OBJECT
  public:
    explicit StatusStrip(QWidget* parent = nullptr);
    void setContent(const StripContent& content, const ThroughputHistory& history, TimestampNs now);
    /// A narrow strip leaves out numbers, the least important ones first.
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    /// The user asks to switch the input mode.
    void inputClicked();
    /// The user asks to start or stop recording.
    void recordClicked();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QToolButton* makeButton(const QString& name);
    void fitParts();
    bool isNarrow() const;
    void showInput(InputState state);
    void showRecording(const StripContent& content);
    void showConnection(const StripContent& content);
    void showNumbers(const StripContent& content, const Throughput& rate);

    PadlockBadge* padlock_;
    QLabel* badge_;
    QLabel* recording_;
    QLabel* paused_;
    QLabel* muted_;
    QToolButton* record_;
    QToolButton* input_;
    InputState shownInput_ = InputState::NoStream;
    ElidedLabel* peer_;
    ElidedLabel* picture_;
    MetricCell* framesPerSecond_;
    MetricCell* shownPerSecond_;
    MetricCell* throughput_;
    MetricCell* toArrival_;
    MetricCell* toScreen_;
    MetricCell* dropped_;
    MetricCell* skipped_;
    MetricCell* zoom_;
    ThroughputPlot* plot_;
    QLayout* left_ = nullptr;
    bool wasNarrow_ = false;
    bool hasSound_ = false;  // whose words need room
};

}  // namespace verbcast

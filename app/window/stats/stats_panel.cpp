#include "app/window/stats/stats_panel.h"

#include <QHeaderView>
#include <algorithm>
#include <iterator>

#include "app/cli/options/glossary.h"
#include "app/cli/options/values.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/stats/stats_text.h"
#include "app/window/style/theme.h"
#include "app/window/trust/padlock.h"

namespace verbcast {
namespace {

constexpr int kProtectionColumn = 0;
constexpr int kAddressColumn = 2;
constexpr int kDroppedColumn = 5;

QString count(std::uint64_t number) {
    return QString::number(number);
}

void showProtection(QTableWidgetItem& item, Protection protection) {
    const QString meaning = padlockMeaning({.protection = protection});
    item.setIcon(padlockIcon(protection));
    item.setForeground(protection == Protection::None ? theme::colours().warning : theme::colours().text);
    item.setToolTip(meaning);
    item.setData(Qt::AccessibleTextRole, meaning);
}

/// For comparing viewers.
double latencyOf(const SenderStats::Receiver& receiver) {
    return receiver.latencyP99.value_or(receiver.latencyP50.value_or(0));
}

}  // namespace

StatsPanel::StatsPanel(QWidget* parent)
    : QWidget(parent),
      framesPerSecond_(
          new MetricCell("fps", "8888.8", tr("Frames per second, counted once for all viewers"), this)),
      throughput_(new MetricCell("GB/s", "88.88", tr("Pixel data, to all viewers together"), this)),
      latency_(
          new MetricCell(tr("Latency p50 / p99"), "88.88 / 88.88 ms", tr("Of the slowest viewer"), this)),
      frames_(new MetricCell(tr("Frames"), "88888888",
                             tr("Sent since the start, counted once for all viewers"), this)),
      dropped_(new MetricCell(tr("Dropped"), "888888", inWindowLanguage(kDroppedHelp), this)),
      decoder_(new MetricCell(tr("Decoder"), "software", "", this)),
      plot_(new ThroughputPlot(this)),
      receivers_(new QTableWidget(this)) {
    const int line = theme::line();
    plot_->setFixedHeight(line * 3);
    makeTable();
    QHBoxLayout* cells = rowOf(
        line, {framesPerSecond_, throughput_, latency_, frames_, dropped_, decoder_, Part::rest(), plot_});
    setLayout(columnOf(line / 2, {cells, Part(receivers_, 1)}));
    clear();
}

void StatsPanel::makeTable() {
    struct Column {
        const char* name;
        const char* explanation;
        bool number;
        bool shared = false;  ///< shared with --help: the explanation goes through inWindowLanguage()
    };
    constexpr Column kColumns[] = {
        {QT_TR_NOOP("Protection"),
         QT_TR_NOOP("Whether the viewer is authenticated, and what others on the network could read"), false},
        {QT_TR_NOOP("Viewer"), QT_TR_NOOP("The name that the viewer reports"), false},
        {QT_TR_NOOP("Address"), QT_TR_NOOP("Where it is"), false},
        {QT_TR_NOOP("Transport"), QT_TR_NOOP("How frames get there"), false},
        {QT_TR_NOOP("Sent"), QT_TR_NOOP("Frames"), true},
        {QT_TR_NOOP("Dropped"), kDroppedHelp, true, true},
        {QT_TR_NOOP("Skipped"), kSkippedHelp, true, true},
        {QT_TR_NOOP("Latency p50 / p99"),
         QT_TR_NOOP("From the hand-over here to the arrival there, as the viewer reports it"), true}};
    receivers_->setColumnCount(static_cast<int>(std::size(kColumns)));
    int next = 0;
    for (const Column& column : kColumns) {
        auto* item = new QTableWidgetItem(tr(column.name));
        item->setToolTip(column.shared ? inWindowLanguage(column.explanation) : tr(column.explanation));
        item->setTextAlignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        receivers_->setHorizontalHeaderItem(next++, item);
    }
    receivers_->setAccessibleName(tr("Viewers"));
    receivers_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    receivers_->setSelectionBehavior(QAbstractItemView::SelectRows);
    receivers_->setTabKeyNavigation(false);
    receivers_->setShowGrid(false);
    receivers_->verticalHeader()->hide();
    receivers_->verticalHeader()->setDefaultSectionSize(theme::line() * 3 / 2);
    QHeaderView* header = receivers_->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(kAddressColumn, QHeaderView::Stretch);
    receivers_->setMinimumHeight(theme::line() * 5);
}

void StatsPanel::show(const SenderStats& stats) {
    const TimestampNs now = nowNs();
    history_.add(now, stats.bytes, stats.frames);
    plot_->show(history_, now);
    const bool any = stats.frames > 0;
    framesPerSecond_->setValue(any ? QString::number(stats.framesPerSecond, 'f', 1) : kUnknown);
    throughput_->setValue(any ? QString::number(stats.gigabytesPerSecond, 'f', 2) : kUnknown);
    frames_->setValue(count(stats.frames));
    dropped_->setValue(count(stats.dropped), stats.dropped > 0);
    const auto latest = std::max_element(stats.receivers.begin(), stats.receivers.end(),
                                         [](const SenderStats::Receiver& a, const SenderStats::Receiver& b) {
                                             return latencyOf(a) < latencyOf(b);
                                         });
    latency_->setValue(latest == stats.receivers.end() ? kUnknown
                                                       : latencyText(latest->latencyP50, latest->latencyP99));
    decoder_->setVisible(!stats.decoder.empty());
    decoder_->setValue(QString::fromStdString(stats.decoder));
    decoder_->setToolTip(QString::fromStdString(stats.decoderReason));
    showReceivers(stats.receivers);
}

void StatsPanel::showReceivers(const std::vector<SenderStats::Receiver>& receivers) {
    receivers_->setRowCount(static_cast<int>(receivers.size()));
    int row = 0;
    for (const SenderStats::Receiver& receiver : receivers) {
        const QStringList texts{protectionWord(receiver.protection),
                                QString::fromStdString(receiver.name),
                                QString::fromStdString(receiver.peer),
                                QString::fromStdString(receiver.transport),
                                count(receiver.sent),
                                count(receiver.dropped),
                                count(receiver.skipped),
                                latencyText(receiver.latencyP50, receiver.latencyP99)};
        for (int column = 0; column < receivers_->columnCount(); ++column) {
            QTableWidgetItem* item = receivers_->item(row, column);
            if (item == nullptr) {
                item = new QTableWidgetItem;
                item->setTextAlignment(
                    Qt::Alignment::fromInt(receivers_->horizontalHeaderItem(column)->textAlignment()));
                receivers_->setItem(row, column, item);
            }
            item->setText(texts[column]);
        }
        showProtection(*receivers_->item(row, kProtectionColumn), receiver.protection);
        receivers_->item(row, kDroppedColumn)
            ->setForeground(receiver.dropped > 0 ? theme::colours().warning : theme::colours().text);
        ++row;
    }
}

void StatsPanel::clear() {
    history_ = {};
    plot_->show(history_, nowNs());
    for (MetricCell* cell : {framesPerSecond_, throughput_, latency_, frames_, dropped_}) {
        cell->setValue(kUnknown);
    }
    decoder_->hide();
    receivers_->setRowCount(0);
}

}  // namespace verbcast

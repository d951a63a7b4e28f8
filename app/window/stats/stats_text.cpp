#include "app/window/stats/stats_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "app/window/parts/core_words.h"
#include "core/session/messages/frame_lock.h"

namespace verbcast {
namespace {

struct StatsText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::StatsText)
};

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

QString clockText(const DisplayStats& own) {
    const QString error = durationText(own.clockErrorUs);
    if (own.clock == nameOf(ClockBy::Ptp)) {
        return StatsText::tr("clocks by PTP, to %1").arg(error);
    }
    if (own.clock == nameOf(ClockBy::Session)) {
        return StatsText::tr("clocks estimated, to %1").arg(error);
    }
    return {};
}

QString railText(const RailStats& rail) {
    const QString name =
        rail.transport.empty()
            ? QString::number(rail.number)
            : QString("%1 (%2)").arg(rail.number).arg(QString::fromStdString(rail.transport));
    if (rail.up) {
        return StatsText::tr("rail %1: frames %2, first %3").arg(name).arg(rail.frames).arg(rail.first);
    }
    return rail.lost ? StatsText::tr("rail %1 is down, frames %2").arg(name).arg(rail.frames)
                     : StatsText::tr("rail %1 is not there yet").arg(name);
}

}  // namespace

QString durationText(double microseconds) {
    const Unit unit = unitFor(microseconds);
    return inUnit(microseconds, unit) + ' ' + unit.name;
}

QString latencyText(std::optional<double> p50, std::optional<double> p99) {
    if (!p50) {
        return kUnknown;
    }
    const Unit unit = unitFor(std::max(*p50, p99.value_or(0)));
    return inUnit(*p50, unit) + " / " + (p99 ? inUnit(*p99, unit) : kUnknown) + ' ' + unit.name;
}

QString latencyText(const Percentiles& latency) {
    return latencyText(latency.count > 0 ? std::optional(latency.p50) : std::nullopt,
                       latency.hasP99() ? std::optional(latency.p99) : std::nullopt);
}

QString statsLine(const StreamStats& stats, const Throughput& rate) {
    return QStringList{QString("%1 fps").arg(rate.framesPerSecond, 0, 'f', 1),
                       QString("%1 GB/s").arg(rate.gigabytesPerSecond, 0, 'f', 2), latencyText(stats.latency),
                       StatsText::tr("%1 dropped").arg(stats.framesDropped)}
        .join("   ");
}

QString alignmentText(const AlignmentStats& all, const StreamAlignment& own, std::uint32_t slots) {
    if (!own.reason.empty()) {
        return all.by == "pts"  ? StatsText::tr("not aligned: its time stamps are far from the others'")
               : own.clockKnown ? StatsText::tr("not aligned: its capture times are far from the others'")
                                : StatsText::tr("not aligned: its clock is not known");
    }
    const QString by =
        all.by == "pts" ? StatsText::tr("aligned by time stamps") : StatsText::tr("aligned by capture");
    QString text = StatsText::tr("%1, delay %2, skew %3")
                       .arg(by, durationText(all.delayMs * 1000), latencyText(all.skew));
    if (own.framesThinned > 0) {
        text += StatsText::tr(", needs --slots %1 (now %2)").arg(own.slotsNeeded).arg(slots);
    }
    return text;
}

QString frameLockText(const FrameLockStats& stats) {
    QStringList parts{
        StatsText::tr("displays together: %1 (%2)")
            .arg(stats.displays)
            .arg(QString::fromStdString(stats.mode)),
        StatsText::tr("delay %1, skew %2").arg(durationText(stats.delayMs * 1000), latencyText(stats.skew)),
        clockText(stats.own)};
    if (stats.framesHeld > 0) {
        parts << StatsText::tr("frames held: %1").arg(stats.framesHeld);
    }
    if (stats.framesWithout > 0) {
        parts << StatsText::tr("frames without a display: %1").arg(stats.framesWithout);
    }
    if (!stats.late.empty()) {
        parts << StatsText::tr("late: %1").arg(QString::fromStdString(stats.late));
    }
    parts.removeAll(QString());
    return parts.join(", ");
}

namespace {

QString signedText(double value, int decimals) {
    return QString(value < 0 ? "\u2212%1" : "+%1").arg(std::abs(value), 0, 'f', decimals);
}

}  // namespace

QString soundText(const SoundStats& stats) {
    if (!stats.playback) {
        return StatsText::tr("sound is not played");
    }
    const SoundPlaybackStats& playback = *stats.playback;
    if (!playback.problem.empty()) {
        return StatsText::tr("no sound is heard: %1").arg(inWindowLanguage(playback.problem));
    }
    if (!playback.sounding) {
        return StatsText::tr("no sound now");
    }
    return StatsText::tr("sound %1 ms, drift %2 ppm, %3 ms, %n underruns", nullptr,
                         static_cast<int>(playback.underruns + playback.deviceUnderruns))
        .arg(signedText(playback.offsetMs, 1), signedText(playback.driftPpm, 0))
        .arg(std::lround(playback.bufferedMs));
}

QString soundDetails(const SoundStats& stats) {
    QStringList lines;
    if (stats.format) {
        lines << StatsText::tr("Sound of %1").arg(QString::fromStdString(describe(*stats.format)));
    }
    if (stats.playback && !stats.playback->device.empty()) {
        lines << StatsText::tr("Played by %1").arg(QString::fromStdString(stats.playback->device));
    }
    if (stats.playback && stats.playback->heldMs > 0) {
        lines << StatsText::tr("Pictures wait %1 for their sound")
                     .arg(durationText(stats.playback->heldMs * 1000));
    }
    if (stats.playback && stats.playback->heldShort > 0) {
        lines << StatsText::tr("%n pictures waited less, since there are too few slots (--slots)", nullptr,
                               static_cast<int>(stats.playback->heldShort));
    }
    return lines.join('\n');
}

bool anyRailIsDown(const std::vector<RailStats>& rails) {
    return std::ranges::any_of(rails, &RailStats::lost);
}

QString railsText(const std::vector<RailStats>& rails) {
    QStringList texts;
    for (const RailStats& rail : rails) {
        texts << railText(rail);
    }
    return texts.join(", ");
}

QString railsDetails(const std::vector<RailStats>& rails) {
    QStringList lines;
    for (const RailStats& rail : rails) {
        QString line = railText(rail);
        if (!rail.peer.empty()) {
            line += ", " + QString::fromStdString(rail.peer);
        }
        if (rail.timesDown > 0) {
            line += ", " + StatsText::tr("times lost: %1").arg(rail.timesDown);
        }
        lines << line;
    }
    return lines.join('\n');
}

}  // namespace verbcast

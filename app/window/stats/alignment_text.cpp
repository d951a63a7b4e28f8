#include "app/window/stats/alignment_text.h"

#include <QCoreApplication>

#include "app/window/stats/status_strip.h"

namespace verbcast {
namespace {

struct AlignmentText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::AlignmentText)
};

}  // namespace

QString alignmentText(const AlignmentStats& all, const StreamAlignment& own, std::uint32_t slots) {
    if (!own.reason.empty()) {
        return all.by == "pts"  ? AlignmentText::tr("not aligned: its time stamps are far from the others'")
               : own.clockKnown ? AlignmentText::tr("not aligned: its capture times are far from the others'")
                                : AlignmentText::tr("not aligned: its clock is not known");
    }
    const QString by = all.by == "pts" ? AlignmentText::tr("aligned by time stamps")
                                       : AlignmentText::tr("aligned by capture");
    QString text = AlignmentText::tr("%1, delay %2, skew %3")
                       .arg(by, durationText(all.delayMs * 1000), latencyText(all.skew));
    if (own.framesThinned > 0) {
        text += AlignmentText::tr(", needs --slots %1 (now %2)").arg(own.slotsNeeded).arg(slots);
    }
    return text;
}

}  // namespace verbcast

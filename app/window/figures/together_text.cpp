#include "app/window/figures/together_text.h"

#include <QCoreApplication>

#include "app/window/figures/status_strip.h"
#include "core/session/messages/together.h"

namespace verbcast {
namespace {

struct TogetherText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::TogetherText)
};

QString clockText(const DisplayStats& own) {
    const QString error = durationText(own.clockErrorUs);
    if (own.clock == nameOf(ClockBy::Ptp)) {
        return TogetherText::tr("clocks by PTP, to %1").arg(error);
    }
    if (own.clock == nameOf(ClockBy::Session)) {
        return TogetherText::tr("clocks estimated, to %1").arg(error);
    }
    return {};
}

}  // namespace

QString togetherText(const TogetherStats& stats) {
    QStringList parts{TogetherText::tr("displays together: %1 (%2)")
                          .arg(stats.displays)
                          .arg(QString::fromStdString(stats.mode)),
                      TogetherText::tr("delay %1, skew %2")
                          .arg(durationText(stats.delayMs * 1000), latencyText(stats.skew)),
                      clockText(stats.own)};
    if (stats.framesHeld > 0) {
        parts << TogetherText::tr("frames held: %1").arg(stats.framesHeld);
    }
    if (stats.framesWithout > 0) {
        parts << TogetherText::tr("frames without a display: %1").arg(stats.framesWithout);
    }
    if (!stats.late.empty()) {
        parts << TogetherText::tr("late: %1").arg(QString::fromStdString(stats.late));
    }
    parts.removeAll(QString());
    return parts.join(", ");
}

}  // namespace verbcast

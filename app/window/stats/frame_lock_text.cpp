#include "app/window/stats/frame_lock_text.h"

#include <QCoreApplication>

#include "app/window/stats/status_strip.h"
#include "core/session/messages/frame_lock.h"

namespace verbcast {
namespace {

struct FrameLockText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::FrameLockText)
};

QString clockText(const DisplayStats& own) {
    const QString error = durationText(own.clockErrorUs);
    if (own.clock == nameOf(ClockBy::Ptp)) {
        return FrameLockText::tr("clocks by PTP, to %1").arg(error);
    }
    if (own.clock == nameOf(ClockBy::Session)) {
        return FrameLockText::tr("clocks estimated, to %1").arg(error);
    }
    return {};
}

}  // namespace

QString frameLockText(const FrameLockStats& stats) {
    QStringList parts{FrameLockText::tr("displays together: %1 (%2)")
                          .arg(stats.displays)
                          .arg(QString::fromStdString(stats.mode)),
                      FrameLockText::tr("delay %1, skew %2")
                          .arg(durationText(stats.delayMs * 1000), latencyText(stats.skew)),
                      clockText(stats.own)};
    if (stats.framesHeld > 0) {
        parts << FrameLockText::tr("frames held: %1").arg(stats.framesHeld);
    }
    if (stats.framesWithout > 0) {
        parts << FrameLockText::tr("frames without a display: %1").arg(stats.framesWithout);
    }
    if (!stats.late.empty()) {
        parts << FrameLockText::tr("late: %1").arg(QString::fromStdString(stats.late));
    }
    parts.removeAll(QString());
    return parts.join(", ");
}

}  // namespace verbcast

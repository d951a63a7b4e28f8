#include "app/window/stats/rails_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace verbcast {
namespace {

struct RailsText {
    Q_DECLARE_TR_FUNCTIONS(verbcast::RailsText)
};

QString textOf(const RailStats& rail) {
    const QString name =
        rail.transport.empty()
            ? QString::number(rail.number)
            : QString("%1 (%2)").arg(rail.number).arg(QString::fromStdString(rail.transport));
    if (rail.up) {
        return RailsText::tr("rail %1: frames %2, first %3").arg(name).arg(rail.frames).arg(rail.first);
    }
    return rail.lost ? RailsText::tr("rail %1 is down, frames %2").arg(name).arg(rail.frames)
                     : RailsText::tr("rail %1 is not there yet").arg(name);
}

}  // namespace

bool anyRailIsDown(const std::vector<RailStats>& rails) {
    return std::ranges::any_of(rails, &RailStats::lost);
}

QString railsText(const std::vector<RailStats>& rails) {
    QStringList texts;
    for (const RailStats& rail : rails) {
        texts << textOf(rail);
    }
    return texts.join(", ");
}

QString railsDetails(const std::vector<RailStats>& rails) {
    QStringList lines;
    for (const RailStats& rail : rails) {
        QString line = textOf(rail);
        if (!rail.peer.empty()) {
            line += ", " + QString::fromStdString(rail.peer);
        }
        if (rail.timesDown > 0) {
            line += ", " + RailsText::tr("times lost: %1").arg(rail.timesDown);
        }
        lines << line;
    }
    return lines.join('\n');
}

}  // namespace verbcast

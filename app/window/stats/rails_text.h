// Describes the rails of a stream in the windows' words.
#pragma once

#include <QString>
#include <vector>

#include "core/stats/viewer_stats.h"

namespace verbcast {

/// True if a rail has gone down.
bool anyRailIsDown(const std::vector<RailStats>& rails);
/// On one line: which rails are up and what each has carried; "" without rails.
QString railsText(const std::vector<RailStats>& rails);
/// A line per rail, with its address and how often it was lost.
QString railsDetails(const std::vector<RailStats>& rails);

}  // namespace verbcast

// How several displays show together, in words of the windows.
#pragma once

#include <QString>

#include "core/stats/together_stats.h"

namespace verbcast {

/// "displays together: 2 (hold), delay 12 ms, skew 90 us / 410 us"; besides, which display is late, and
/// how well the clocks are known.
QString togetherText(const TogetherStats& stats);

}  // namespace verbcast

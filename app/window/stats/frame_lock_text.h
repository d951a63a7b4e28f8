// Describes how several displays show together in the windows' words.
#pragma once

#include <QString>

#include "core/stats/frame_lock_stats.h"

namespace verbcast {

/// "displays together: 2 (hold), delay 12 ms, skew 90 us / 410 us"; also which display is late, and how
/// accurate the clocks are.
QString frameLockText(const FrameLockStats& stats);

}  // namespace verbcast

// What --sync means, and how displays showed together.
#pragma once

#include <string>
#include <vector>

#include "core/session/messages/frame_lock.h"
#include "core/stats/frame_lock_stats.h"

namespace verbcast {

inline constexpr const char* kSyncHelp =
    "All windows that view this stream show each frame at the same time; if one is late:\n"
    "hold: all keep the last picture\n"
    "go: the others continue, and it rejoins";

/// "shown together (hold): 2 displays, 600 frames at 12.1 ms, skew p50 90 us p99 410 us ...", and a line for
/// each display.
std::vector<std::string> frameLockLines(const FrameLockStats& stats);

}  // namespace verbcast

// The line that the viewer leaves on stderr.
#pragma once

#include <string>

#include "core/stats/stream_stats.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// "shown 3599 of 3600 frames (0 dropped, 1 skipped), 59.98 fps, 1.99 GB/s, latency p50 85 us p99 240 us, shm
/// (same host), encrypted"; shorter when no frame came. `status` is the last one.
std::string summaryLine(const StreamStats& stats, const ReceiverStatus& status);

}  // namespace verbcast

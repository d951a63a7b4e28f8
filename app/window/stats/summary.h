// The summary lines that the viewer prints to stderr at its end.
#pragma once

#include <string>

#include "app/view/recording/recorder.h"
#include "core/stats/stream_stats.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// "shown 3599 of 3600 frames (0 dropped, 1 skipped), 59.98 fps, 1.99 GB/s, latency p50 85 us p99 240 us, shm
/// (same host), encrypted"; shorter if no frame came. `status`: the last one.
std::string summaryLine(const StreamStats& stats, const ReceiverStatus& status);

/// "recorded 3599 frames in take.nut (1.24 GB)"
std::string recordingLine(const std::string& path, const RecordingStatus& recording);
/// "3 frames are missing in take.nut: 2 dropped on the way, 1 came while writing was behind or had ended;
/// send with --policy lossless"; empty if none is missing.
std::string missingLine(const std::string& path, const RecordingStatus& recording, std::uint64_t dropped);

/// "85 MB", "1.24 GB"
std::string sizeText(std::uint64_t bytes);

}  // namespace verbcast

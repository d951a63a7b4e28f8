// One run of frames: starts the processes of each stream and combines their results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/limits/limits.h"
#include "app/bench/modes/bench_modes.h"

namespace verbcast {

/// What a row measures.
struct FrameCase {
    std::string scheme{};  ///< empty: of no transport
    PictureSize size = kFrameSize;
    PixelFormat pixelFormat = PixelFormat::rgba;
    std::uint32_t streams = 1;
    bool intoOne = false;      ///< one process receives all streams
    bool tellsDamage = false;  ///< with BenchOptions::damage: frames say what changed
    std::uint64_t frameBytes() const;
    std::string pictureText() const;  ///< "3840x2160 rgba"
    std::string text() const;         ///< "tcp 3840x2160 rgba", "shm 1920x1080 rgba, 4 streams"
};

/// Called periodically during a run with the results so far, summed over all streams.
using LiveRate = std::function<void(std::uint64_t frames, double gigabytesPerSecond)>;

/// Runs that case once, each stream between a sending and a receiving process; with intoOne, a single process
/// receives all. For several streams, frames, drops and CPU time are sums, latency is over all frames, and
/// fps is per stream. If interruptEvent() is set, the row holds the results so far, perhaps no frame at all.
FrameRow runFrames(const BenchOptions& options, const FrameCase& frames, const LiveRate& live);

/// Measures the case's row: the median of options.repeat runs, alternating with its limit. Adds the limit to
/// the report, and the row; returns false, without a row, if interrupted before anything was measured.
bool measureRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report, const Say& say);

/// The same for BenchOptions::damage: alternates frames that say what changed with frames that do not. Has no
/// limit, since not everything is moved.
bool measureDamageRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                      const Say& say);

/// Bytes that a case needs at once: a ring at each end of each stream.
std::uint64_t ringBytes(const BenchOptions& options, const FrameCase& frames);
/// Why there is not that much memory, or "".
std::string memoryProblem(std::uint64_t bytes);
/// Throws Error{Resource} if there is not enough memory for the case.
void requireRoom(const BenchOptions& options, const FrameCase& frames);

}  // namespace verbcast

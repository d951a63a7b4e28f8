// One run of frames: two processes for each stream, and what they say put together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/limits/limits.h"
#include "app/bench/modes/bench_modes.h"

namespace verbcast {

/// What a row is about.
struct FrameCase {
    std::string scheme = "shm";
    BenchSize size;
    PixelFormat pixelFormat = PixelFormat::rgba;
    std::uint32_t streams = 1;
    bool intoOne = false;      ///< one process receives all
    bool tellsDamage = false;  ///< with BenchOptions::damage: frames say what changed
    std::uint64_t frameBytes() const;
    std::string pictureText() const;  ///< "3840x2160 rgba"
    std::string text() const;         ///< "tcp 3840x2160 rgba", "shm 1920x1080 rgba, 4 streams"
};

/// Called from time to time during a run with what was measured so far, of all streams together.
using LiveRate = std::function<void(std::uint64_t frames, double gigabytesPerSecond)>;

/// Runs that case once, each stream between a process that sends and one that receives, or, into one, a
/// single one that receives all. Of several streams
/// frames, drops and processor time are summed, latency is of all frames, fps is one stream's. When
/// interruptEvent() is set the row holds what was measured until then, perhaps no frame at all.
FrameRow runFrames(const BenchOptions& options, const FrameCase& frames, const LiveRate& live);

/// The row of that case: the median of options.repeat runs, in turns with its limit. Adds the limit to the
/// report, and the row, unless it was interrupted before anything was measured: then false.
bool measureRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                const std::function<void(const std::string&)>& say);

/// The same for BenchOptions::damage: frames that tell what changed and frames that tell nothing, in turns.
/// Without a limit: what is not moved has none.
bool measureDamageRow(const BenchOptions& options, const FrameCase& frames, BenchReport& report,
                      const std::function<void(const std::string&)>& say);

/// What a limit is to measure for that case.
LimitJob limitJobFor(const BenchOptions& options, const FrameCase& frames);
/// The run in the middle; at least one.
Limit medianLimit(std::vector<Limit> runs);
FrameRow medianRow(std::vector<FrameRow> runs);
/// The figures of one of several runs.
RunSample sampleOf(const FrameRow& row);

/// Bytes that a case needs at a time: a ring at each end of each stream.
std::uint64_t ringBytes(const BenchOptions& options, const FrameCase& frames);
/// Why the memory for it is not there, or "".
std::string memoryProblem(std::uint64_t bytes);
/// Throws Error{Resource} when the memory for it is not there.
void requireRoom(const BenchOptions& options, const FrameCase& frames);

}  // namespace verbcast

// The receiving end of one stream of a benchmark.
#pragma once

#include <cstdint>

#include "app/bench/workers/damage_pattern.h"
#include "app/bench/workers/frame_job.h"
#include "app/bench/workers/stream_window.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Listens at the job's address, and receives and checks the frames of the sender that comes. Not
/// thread-safe.
class FrameReceiveRun {
  public:
    /// `window`: shared by all streams of this process; null for a single stream. Throws as FrameReceiver
    /// does.
    FrameReceiveRun(const FrameJob& job, const WorkerEmit& emit, StreamWindow* window = nullptr);

    /// Runs until the stream is over or interruptEvent() is set. Throws Error{Network} if no frames come.
    ReceiverResult run();

  private:
    Status next(ReceivedFrame& frame);
    void count(const ReceivedFrame& frame, TimestampNs arrivedAt);
    bool isRight(const ReceivedFrame& frame);
    void tell(TimestampNs now);
    void finish();

    const FrameJob job_;
    const WorkerEmit& emit_;
    StreamWindow* const window_;
    const std::uint64_t payloadBytes_;
    FrameReceiver receiver_;
    ReceiverResult result_;
    std::optional<DamagePattern> damage_;  // if FrameJob::damage
    std::shared_ptr<FramePool>
        seen_;            // if FrameJob::deviceMemory: a slot of host memory, shared like all pools
    StreamStats warmUp_;  // up to the first measured frame
    CpuUse cpuBefore_;
    TimestampNs begunAt_ = 0, lastAt_ = 0, toldAt_ = 0;
    double meanGap_ = 0, gapSquares_ = 0;
    std::uint64_t nextSequence_ = 0;
    bool interrupted_ = false;
};

}  // namespace verbcast

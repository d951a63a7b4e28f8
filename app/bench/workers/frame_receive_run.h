// The receiving end of one stream of a benchmark.
#pragma once

#include <cstdint>

#include "app/bench/workers/damage_pattern.h"
#include "app/bench/workers/device_ends.h"
#include "app/bench/workers/frame_job.h"
#include "app/bench/workers/stream_window.h"
#include "app/bench/workers/worker.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Listens at the job's address, and takes and checks the frames of who comes. Used by one thread.
class FrameReceiveRun {
  public:
    /// `window`: of all streams of this process; null for the only one. Throws as FrameReceiver does.
    FrameReceiveRun(const FrameJob& job, const WorkerEmit& emit, StreamWindow* window = nullptr);

    /// Until the stream is over or interruptEvent() is set. Throws Error{Network} when no frame comes.
    ReceiverResult run();

  private:
    Status next(ReceivedFrame& frame);
    void count(const ReceivedFrame& frame, TimestampNs arrivedAt);
    bool isIntact(const ReceivedFrame& frame);
    bool isRight(const ReceivedFrame& frame);
    void tell(TimestampNs now);
    void finish();

    const FrameJob job_;
    const WorkerEmit& emit_;
    StreamWindow* const window_;
    const std::uint64_t payloadBytes_;
    FrameReceiver receiver_;
    ReceiverResult result_;
    std::optional<DamagePattern> damage_;  // with FrameJob::damage
    std::optional<DeviceSink> device_;     // with FrameJob::device
    StreamStats warmUp_;                   // up to the first frame that counts
    CpuUse cpuBefore_;
    TimestampNs begunAt_ = 0, lastAt_ = 0, toldAt_ = 0;
    double meanGap_ = 0, gapSquares_ = 0;
    std::uint64_t nextSequence_ = 0;
    bool interrupted_ = false;
};

}  // namespace verbcast

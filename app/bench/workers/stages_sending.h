// bench stages, the sending side of every source: what its process does once the source is open.
#pragma once

#include <string>

#include "app/bench/workers/stage_meter.h"
#include "app/bench/workers/stages_job.h"
#include "app/bench/workers/worker.h"
#include "capture/frame_source.h"
#include "capture/input_injector.h"

namespace verbcast {

// The first frames touch every slot of the pool for the first time.
inline constexpr std::uint64_t kFirstStageFrames = 24;

/// Slots that a source needs for this job. At a fixed rate a frame must never wait for one, or the moment of
/// its capture would move and hide the wait: more than are queued and in flight.
std::uint32_t sourceSlots(const StagesJob& job);

/// Stops the times of a source that draws a picture and then reads it back. The source says when.
class RenderMeter {
  public:
    void drawing() { begun_ = Moment::now(); }
    void drawn() { drawn_ = Moment::now(); }
    /// The frame is complete.
    void complete(const Moment& at) {
        draw_.record(begun_, drawn_);
        readBack_.record(drawn_, at);
    }
    const StageMeter& draw() const { return draw_; }
    const StageMeter& readBack() const { return readBack_; }

  private:
    Moment begun_, drawn_;
    StageMeter draw_{kFirstStageFrames}, readBack_{kFirstStageFrames};
};

/// What is sent, and what it takes.
struct StagesSource {
    FrameSource& source;
    InputInjector* target = nullptr;  ///< job.input: takes it; null: every frame counts as showing it
    RenderMeter* render = nullptr;    ///< of a source that draws and reads back
};

/// Sends until the receiver has what it wanted or Ctrl-C. The result, times in microseconds: {source,
/// notes[], stages[]} and, of what renders, costs {read_back, hand_off_cpu_us}.
nlohmann::json sendStages(const StagesJob& job, const StagesSource& source, const WorkerEmit& emit);

}  // namespace verbcast

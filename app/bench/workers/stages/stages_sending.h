// bench stages, the sending side for every source: what its process does once the source is open.
#pragma once

#include "app/bench/workers/stages/stage_meter.h"
#include "app/bench/workers/stages/stages_job.h"
#include "capture/frame_source.h"
#include "capture/input_injector.h"

namespace verbcast {

// The first frames touch the pool's slots for the first time.
inline constexpr std::uint64_t kFirstStageFrames = 24;

/// Slots that a source needs for this job. At a fixed rate a frame must never wait for one, or its capture
/// time would move and hide the wait: so, more than are queued and in flight.
std::uint32_t sourceSlots(const StagesJob& job);

/// Measures a source that draws a picture and then reads it back. The source reports each step.
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

/// The source, and what depends on its kind.
struct StagesSource {
    FrameSource& source;
    InputInjector* target = nullptr;  ///< gets the input; null: every frame counts as showing it
    RenderMeter* render = nullptr;    ///< for a source that draws and reads back
};

/// Sends until the receiver has enough or Ctrl-C. Returns, with times in microseconds: {source, notes[],
/// stages[]} and, for a rendering source, costs {read_back, hand_off_cpu_us}.
nlohmann::json sendStages(const StagesJob& job, const StagesSource& source, const WorkerEmit& emit);

}  // namespace verbcast

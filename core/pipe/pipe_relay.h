// The middle of a pipe: passes blocks from one connection to the next without looking at them.
#pragma once

#include "core/pipe/pipe_run.h"
#include "core/pipe/pipe_sink_link.h"

namespace verbcast {

/// Blocks arrive in and leave from the same ring; with an shm sender it is that sender's ring, and with an
/// shm receiver as well, only the blocks' numbers travel. The ends negotiate through the relay: what the last
/// receiver accepts, has flushed, or failed at is what the sender hears.
class PipeRelay final : public PipeRun {
  public:
    PipeRelay(const PipeSettings& settings, PipeAddress from, PipeAddress to);

  private:
    void transfer() override;
    PipeEnd moveBlocks();
    PipeBlock movable(PipeBlock block);

    const PipeAddress from_, to_;
    PipeSinkLink* in_ = nullptr;  // both owned by the base
    PipeSourceLink* out_ = nullptr;
    std::shared_ptr<const Memory> asked_;  // memory that the outgoing connection was last asked about
    std::shared_ptr<FramePool> copies_;    // null: blocks leave from where they arrived
};

}  // namespace verbcast

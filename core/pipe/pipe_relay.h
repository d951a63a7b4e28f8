// The middle of a pipe: blocks go from one connection to the next and are not looked at.
#pragma once

#include "core/pipe/pipe_run.h"
#include "core/pipe/pipe_sink_link.h"

namespace verbcast {

/// One ring takes the blocks in and is what they leave from; with an shm sender it is that one's, and with
/// an shm receiver as well nothing but the blocks' numbers passes. The ends agree with each other through it:
/// what the last receiver accepts, has flushed, or failed at is what the sender hears.
class PipeRelay final : public PipeRun {
  public:
    PipeRelay(const PipeSettings& settings, PipeAddress from, PipeAddress to);

  private:
    void transfer() override;
    void connectFrom();
    void connectTo(const PipeOffer& offer);
    PipeEnd moveBlocks();
    PipeBlock movable(PipeBlock block);

    const PipeAddress from_, to_;
    PipeSinkLink* in_ = nullptr;  // the base has them
    PipeSourceLink* out_ = nullptr;
    std::shared_ptr<const Memory> asked_;  // of the blocks, as far as the outgoing connection was asked
    std::shared_ptr<FramePool> copies_;    // null: blocks leave from where they came in
};

}  // namespace verbcast

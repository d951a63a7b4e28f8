// The receiving end of a pipe: writes a stream as it arrives.
#pragma once

#include "core/base/checksum.h"
#include "core/pipe/pipe_output.h"
#include "core/pipe/pipe_run.h"
#include "core/pipe/pipe_sink_link.h"

namespace verbcast {

/// run()'s thread writes straight from the slots into which blocks arrive (shm: from the sender's), while the
/// link's thread receives the following ones.
class PipeReceiver final : public PipeRun {
  public:
    PipeReceiver(const PipeSettings& settings, PipeAddress address, PipeOutput& output);

  private:
    void transfer() override;
    PipeAccept agree(const PipeOffer& offer) const;
    PipeEnd receiveBlocks();
    void write(std::span<const std::byte> bytes);

    const PipeAddress address_;
    PipeOutput& output_;
    PipeSinkLink* link_ = nullptr;  // owned by the base
    Checksum checksum_;
};

}  // namespace verbcast

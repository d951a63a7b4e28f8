// The sending end of a pipe: reads a stream and sends it to one or several receivers.
#pragma once

#include <memory>
#include <vector>

#include "core/base/checksum.h"
#include "core/pipe/direct_reader.h"
#include "core/pipe/pipe_input.h"
#include "core/pipe/pipe_run.h"
#include "core/pipe/pipe_source_link.h"

namespace verbcast {

/// run()'s thread reads straight into the slots from which blocks leave (shm: in which the receiver finds
/// them), while the links' threads move earlier blocks. Whole blocks of a regular file are mapped instead and
/// leave from the page cache, over tcp, and over verbs if the device registers them (0.05 s per GiB on
/// software RoCE, where reading them took 0.24). Data outside the page cache bypasses it.
class PipeSender final : public PipeRun {
  public:
    /// With several addresses each block goes to all of them, and the slowest sets the pace.
    PipeSender(const PipeSettings& settings, std::vector<PipeAddress> addresses, PipeInput input);

  private:
    void transfer() override;
    void connectAll();
    void agree();
    void sendAll();
    void throwIfShortened() const;
    void skipStart();
    void openDirect();
    bool isOnDisk(std::uint64_t offset) const {
        return direct_ && !direct_->isCached(offset, agreed_.blockBytes);
    }
    std::uint32_t cachedBlocks() const;
    void sendMapped();
    void sendDirect();
    bool sendRead();
    void push(const FrameLease& lease, std::uint64_t bytes);
    std::size_t read(std::span<std::byte> target);
    FrameLease freeSlot();
    bool allTake(const std::shared_ptr<const Memory>& memory) const;
    template <typename Holds>
    bool all(Holds&& holds) const;

    const std::vector<PipeAddress> addresses_;
    PipeInput input_;
    std::vector<PipeSourceLink*> links_;    // owned by the base
    std::shared_ptr<FramePool> pool_;       // shared with the links
    std::unique_ptr<DirectReader> direct_;  // null: uncached data passes through the page cache
    bool maps_ = false;                     // whole blocks, until something refuses them
    Checksum checksum_;
    std::uint64_t sent_ = 0;
};

}  // namespace verbcast

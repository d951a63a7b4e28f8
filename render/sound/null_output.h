// Plays nowhere, at the speed of a device.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/base/os/event.h"
#include "render/sound/sound_output.h"

namespace verbcast {

/// Takes 10 ms of sound every 10 ms of our own clock, which it would play 10 ms later.
class NullOutput final : public SoundOutput {
  public:
    NullOutput(const SoundOutputOptions& options, SoundFiller& filler);
    ~NullOutput() override { stop_.notify(); }
    SoundOutputStatus status() const override;

  private:
    void run();

    const std::uint32_t rate_, channels_;
    SoundFiller& filler_;
    std::vector<float> samples_;
    std::atomic<std::uint64_t> underruns_{0};
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast

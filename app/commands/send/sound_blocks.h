// Blocks of sound on their way to the viewers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "capture/sound_source.h"
#include "core/stream/broadcast.h"
#include "core/stream/sound_slots.h"

namespace verbcast {

/// For one thread.
class SoundBlocks {
  public:
    /// Sends a copy of a block, whose samples lie as SoundFormat says. Of `info` only pts, capturedAt and
    /// flags matter. Waits for a slot for at most `patience`. Returns Broadcast::submit()'s status; without a
    /// slot, which means that every viewer has got too little already, Ok, or Cancelled if `cancel` is set.
    Status send(const SoundFormat& format, std::span<const std::byte> planar, FrameInfo info,
                std::chrono::nanoseconds patience, Broadcast& sender, const Event& cancel);
    /// The same for a block of a source, with that time stamp. `live`: waits for no slot.
    Status send(const CapturedSound& block, const SoundFormat& format, std::int64_t pts, bool live,
                Broadcast& sender, const Event& cancel);

  private:
    SoundSlots slots_;
};

}  // namespace verbcast

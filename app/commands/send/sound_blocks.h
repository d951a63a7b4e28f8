// Blocks of a source's sound on their way to the viewers.
#pragma once

#include <chrono>
#include <cstdint>

#include "capture/sound_source.h"
#include "core/stream/broadcast.h"
#include "core/stream/sound_slots.h"

namespace verbcast {

/// For one thread.
class SoundBlocks {
  public:
    /// Sends a copy of a block, with that time stamp. `live`: waits for no slot. Returns
    /// Broadcast::submit()'s status; Ok, too, if every viewer has got too little of it already.
    Status send(const CapturedSound& block, const SoundFormat& format, std::int64_t pts, bool live,
                Broadcast& sender, const Event& cancel);

  private:
    SoundSlots slots_;
};

}  // namespace verbcast

// By how much sound is moved from one time line to another.
#pragma once

#include <cstdint>
#include <optional>

namespace verbcast {

/// Follows the distance of two time lines by at most half a per cent, which nobody hears, or at once where it
/// jumps.
class SlewedOffset {
  public:
    /// The next block, of that many samples per channel, is to be moved by so many seconds. Returns whether
    /// it follows the one before; otherwise there is a jump.
    bool follow(double moved, std::uint32_t rate, std::int64_t samples);
    /// Of that block: in its samples.
    std::int64_t samples() const { return offset_.value_or(0); }

  private:
    std::optional<std::int64_t> offset_;  // in samples of rate_
    std::uint32_t rate_ = 0;
    std::int64_t sinceStep_ = 0;  // samples with that offset
};

}  // namespace verbcast

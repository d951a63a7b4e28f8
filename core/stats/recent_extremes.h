// The range of a value over the last seconds.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/base/os/clock.h"

namespace verbcast {

/// The largest and the smallest of the values of the last seconds.
class RecentExtremes {
  public:
    static constexpr TimestampNs kMemory = 4'000'000'000;

    void add(TimestampNs value, TimestampNs now);
    /// nullopt if none was added in that time.
    std::optional<TimestampNs> largest(TimestampNs now) const;
    std::optional<TimestampNs> smallest(TimestampNs now) const;

  private:
    static constexpr std::size_t kParts = 8;
    static constexpr TimestampNs kPart = kMemory / kParts;
    struct Part {
        TimestampNs number = -1;  // since the clock began
        TimestampNs largest = 0, smallest = 0;
    };
    std::array<Part, kParts> parts_;
};

}  // namespace verbcast

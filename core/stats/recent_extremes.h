// The range of a value over the last seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include "core/base/os/clock.h"

namespace verbcast {

/// The largest and the smallest of the values of the last seconds.
class RecentExtremes {
  public:
    static constexpr TimestampNs kMemory = 4'000'000'000;

    void add(TimestampNs value, TimestampNs now) {
        const TimestampNs number = now / kPart;
        Part& part = parts_[static_cast<std::size_t>(number) % kParts];
        if (part.number != number) {
            part = {number, value, value};
        }
        part.largest = std::max(part.largest, value);
        part.smallest = std::min(part.smallest, value);
    }
    /// nullopt if none was added in that time.
    std::optional<TimestampNs> largest(TimestampNs now) const {
        return best(&Part::largest, now, std::greater());
    }
    std::optional<TimestampNs> smallest(TimestampNs now) const {
        return best(&Part::smallest, now, std::less());
    }

  private:
    static constexpr std::size_t kParts = 8;
    static constexpr TimestampNs kPart = kMemory / kParts;
    struct Part {
        TimestampNs number = -1;  // since the clock began
        TimestampNs largest = 0, smallest = 0;
    };
    std::optional<TimestampNs> best(TimestampNs Part::*value, TimestampNs now, auto better) const {
        std::optional<TimestampNs> best;
        for (const Part& part : parts_) {
            if (part.number >= 0 && part.number + static_cast<TimestampNs>(kParts) > now / kPart &&
                (!best || better(part.*value, *best))) {
                best = part.*value;
            }
        }
        return best;
    }

    std::array<Part, kParts> parts_;
};

}  // namespace verbcast

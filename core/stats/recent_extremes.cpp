#include "core/stats/recent_extremes.h"

#include <algorithm>

namespace verbcast {

void RecentExtremes::add(TimestampNs value, TimestampNs now) {
    const TimestampNs number = now / kPart;
    Part& part = parts_[static_cast<std::size_t>(number) % kParts];
    if (part.number != number) {
        part = {number, value, value};
    }
    part.largest = std::max(part.largest, value);
    part.smallest = std::min(part.smallest, value);
}

std::optional<TimestampNs> RecentExtremes::largest(TimestampNs now) const {
    std::optional<TimestampNs> largest;
    for (const Part& part : parts_) {
        if (part.number >= 0 && part.number + static_cast<TimestampNs>(kParts) > now / kPart) {
            largest = std::max(largest.value_or(part.largest), part.largest);
        }
    }
    return largest;
}

std::optional<TimestampNs> RecentExtremes::smallest(TimestampNs now) const {
    std::optional<TimestampNs> smallest;
    for (const Part& part : parts_) {
        if (part.number >= 0 && part.number + static_cast<TimestampNs>(kParts) > now / kPart) {
            smallest = std::min(smallest.value_or(part.smallest), part.smallest);
        }
    }
    return smallest;
}

}  // namespace verbcast

// Where the pictures of a file are decoded.
#pragma once

#include <cstdint>
#include <string>

#include "core/stats/stats_fields.h"

namespace verbcast {

struct DecodingStats {
    std::string decoder;  ///< "software", "vaapi", "cuda", "vulkan"
    std::string codec;    ///< "h264"
    std::string reason;   ///< why that one: "as --decoder says", "no hardware decoder: ..."
    /// Pictures brought from the device's memory into a slot, by one transfer each.
    std::uint64_t fromDevice = 0;
    /// Pictures that stayed in the device's memory, by one copy there each.
    std::uint64_t onDevice = 0;

    static constexpr void fields(auto visit) {
        visit("name", &DecodingStats::decoder);
        visit("codec", &DecodingStats::codec);
        visit("reason", &DecodingStats::reason);
        visit("from_device", &DecodingStats::fromDevice);
        visit("on_device", &DecodingStats::onDevice);
    }

    friend bool operator==(const DecodingStats&, const DecodingStats&) = default;
};

}  // namespace verbcast

// DecodingStats as JSON: "decoder" of a sender's statistics.
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/decoding_stats.h"

namespace verbcast {

inline nlohmann::ordered_json decodingJson(const DecodingStats& stats) {
    return {{"name", stats.decoder},
            {"codec", stats.codec},
            {"reason", stats.reason},
            {"from_device", stats.fromDevice},
            {"on_device", stats.onDevice}};
}

}  // namespace verbcast

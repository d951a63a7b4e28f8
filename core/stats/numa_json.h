// The JSON form of a program's NUMA node.
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/numa_stats.h"

namespace verbcast {

/// "node" is null if none was chosen.
inline nlohmann::ordered_json numaJson(const NumaStats& stats) {
    return {{"node", stats.node ? nlohmann::ordered_json(*stats.node) : nlohmann::ordered_json(nullptr)},
            {"chosen_by", stats.chosenBy},
            {"reason", stats.reason}};
}

}  // namespace verbcast

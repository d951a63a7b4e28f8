// On which NUMA node a program keeps its rings and threads.
#pragma once

#include <optional>
#include <string>

#include "core/stats/stats_fields.h"

namespace verbcast {

struct NumaStats {
    std::optional<int> node;        ///< nullopt: wherever the kernel puts them
    std::string chosenBy = "auto";  ///< "auto", "off", or the number that --numa named
    std::string reason;             ///< "mlx5_0 is on node 1", "one node: all memory is equally near"

    static constexpr void fields(auto visit) {
        visit("node", &NumaStats::node);
        visit("chosen_by", &NumaStats::chosenBy);
        visit("reason", &NumaStats::reason);
    }

    friend bool operator==(const NumaStats&, const NumaStats&) = default;
};

}  // namespace verbcast

// How long tests wait for what must come.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace verbcast::testing {

/// Long enough for an emulated processor and for sanitizers; only a failure waits so long.
inline constexpr std::chrono::seconds kPatience{60};

/// The quickest of three trials, in seconds; the first that takes less than `limit` is the last. For promises
/// of times: a busy machine holds up a trial, but hardly each of them.
template <typename Trial>
double quickest(double limit, Trial&& trial) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3 && best >= limit; ++i) {
        best = std::min(best, trial());
    }
    return best;
}

}  // namespace verbcast::testing

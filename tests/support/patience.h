// How long tests wait for what must happen.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace verbcast::testing {

/// Long enough for an emulated CPU, and for sanitizers beside compilers; only failures wait that long.
inline constexpr std::chrono::seconds kPatience{180};

inline constexpr int kTrials = 6;

/// The fastest of kTrials trials, in seconds; stops after the first one below `limit`. For guaranteed times:
/// a busy machine delays a trial, but hardly all of them.
template <typename Trial>
double quickest(double limit, Trial&& trial) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTrials && best >= limit; ++i) {
        best = std::min(best, trial());
    }
    return best;
}

}  // namespace verbcast::testing

#include "app/bench/av/av_offsets.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr TimestampNs kHalfSecond = 500'000'000;

}  // namespace

AvOffsets offsetsOf(const std::vector<TimestampNs>& flashes, const std::vector<TimestampNs>& pips) {
    AvOffsets offsets;
    std::size_t flashesAlone = 0, pipsAlone = 0;  // since the last pair
    auto flash = flashes.begin();
    auto pip = pips.begin();
    while (flash != flashes.end() && pip != pips.end()) {
        const TimestampNs apart = *pip - *flash;
        if (apart >= kHalfSecond) {
            ++flashesAlone;
            ++flash;
        } else if (apart <= -kHalfSecond) {
            ++pipsAlone;
            ++pip;
        } else {
            const std::size_t missedPips = std::exchange(flashesAlone, 0);
            const std::size_t missedFlashes = std::exchange(pipsAlone, 0);
            if (!offsets.ms.empty()) {
                offsets.missedPips += missedPips;
                offsets.missedFlashes += missedFlashes;
            }
            offsets.ms.push_back(static_cast<double>(apart) * 1e-6);
            ++flash;
            ++pip;
        }
    }
    return offsets;
}

double shareOf(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace verbcast

#include "core/base/log/repeat_limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {

bool RepeatLimiter::admits(std::string_view kind, std::string_view who, std::string_view text,
                           TimestampNs now) {
    auto found = kinds_.find(kind);
    if (found == kinds_.end()) {
        found = kinds_.emplace(kind, Kind{.since = now, .last = {}, .addresses = {}}).first;
    }
    Kind& state = found->second;
    const bool isNew = state.addresses.size() < kMaxAddresses &&
                       std::ranges::find(state.addresses, who) == state.addresses.end();
    if (isNew) {
        state.addresses.emplace_back(who);
    }
    if (state.told < atOnce_) {
        ++state.told;
        return true;
    }
    if (!isNew) {
        ++state.leftOut;
        state.last = text;
    }
    return isNew;
}

std::vector<RepeatLimiter::Summary> RepeatLimiter::summaries(TimestampNs now) {
    std::vector<Summary> result;
    for (auto it = kinds_.begin(); it != kinds_.end();) {
        Kind& state = it->second;
        if (now - state.since < kIntervalNs) {
            ++it;
            continue;
        }
        if (state.leftOut == 0) {
            it = kinds_.erase(it);
            continue;
        }
        const std::uint64_t more = std::exchange(state.leftOut, 0) - 1;
        result.push_back(
            {it->first, more == 0 ? state.last : fmt::format("{} (and {} more like it)", state.last, more)});
        state.since = now;
        ++it;
    }
    if (now == kEnd) {
        kinds_.clear();
    }
    return result;
}

std::optional<TimestampNs> RepeatLimiter::nextSummaryAt() const {
    std::optional<TimestampNs> next;
    for (const auto& [kind, state] : kinds_) {
        if (state.leftOut > 0) {
            next = std::min(next.value_or(state.since + kIntervalNs), state.since + kIntervalNs);
        }
    }
    return next;
}

}  // namespace verbcast

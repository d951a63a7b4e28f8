// How percentiles look in all JSON that is written about streams.
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/histogram.h"

namespace verbcast {

inline nlohmann::ordered_json percentilesJson(const Percentiles& p) {
    return {{"p50", p.p50}, {"p99", p.p99}, {"p999", p.p999}, {"max", p.max}, {"count", p.count}};
}

}  // namespace verbcast

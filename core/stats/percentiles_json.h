// The JSON form of percentiles.
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/histogram.h"

namespace verbcast {

/// What so few values do not tell is null.
inline nlohmann::ordered_json percentilesJson(const Percentiles& p) {
    const auto known = [](bool tells, double value) {
        return tells ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    return {{"p50", known(p.count > 0, p.p50)},
            {"p99", known(p.hasP99(), p.p99)},
            {"p999", known(p.hasP999(), p.p999)},
            {"max", known(p.count > 0, p.max)},
            {"count", p.count}};
}

}  // namespace verbcast

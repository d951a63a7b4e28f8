// The JSON form of displays that show together (docs/streams.md).
#pragma once

#include <nlohmann/json.hpp>

#include "core/stats/percentiles_json.h"
#include "core/stats/together_stats.h"

namespace verbcast {

inline nlohmann::ordered_json displayJson(const DisplayStats& display) {
    return {{"name", display.name},
            {"connected", display.connected},
            {"frames_shown", display.framesShown},
            {"frames_late", display.framesLate},
            {"times_left_out", display.timesLeftOut},
            {"shown_by", display.shownBy},
            {"clock", display.clock},
            {"clock_error_us", display.clockErrorUs},
            {"behind_due_us", percentilesJson(display.behindDue)}};
}

/// `ofSender`: with all displays; else with its own only.
inline nlohmann::ordered_json togetherJson(const TogetherStats& stats, bool ofSender) {
    nlohmann::ordered_json json{{"mode", stats.mode},
                                {"displays_now", stats.displays},
                                {"delay_ms", stats.delayMs},
                                {"smallest_delay_ms", stats.smallestDelayMs},
                                {"longest_delay_ms", stats.longestDelayMs},
                                {"frames", stats.frames},
                                {"frames_held", stats.framesHeld},
                                {"frames_without", stats.framesWithout},
                                {"skew_us", percentilesJson(stats.skew)},
                                {"clock_error_us", stats.clockErrorUs},
                                {"late", stats.late}};
    if (ofSender) {
        auto& displays = json["displays"] = nlohmann::ordered_json::array();
        for (const DisplayStats& display : stats.each) {
            displays.push_back(displayJson(display));
        }
    } else {
        json["own"] = displayJson(stats.own);
    }
    return json;
}

}  // namespace verbcast

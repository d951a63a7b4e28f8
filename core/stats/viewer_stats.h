// What a sender knows about one of its viewers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/rail_stats.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

/// Over all connections of one viewer to one sender. Frames are those of the main track; one that was sent
/// again after a reconnection counts once.
struct ViewerStats {
    std::string name;
    std::string peer;        ///< its address over the last connection
    std::string transport;   ///< of the last connection
    std::string protection;  ///< nameOf(Protection)
    bool connected = false;
    double connectedSeconds = 0;
    std::string endReason;  ///< how the last connection ended; "" while connected
    std::uint64_t connections = 1;
    std::uint64_t framesSent = 0;
    std::uint64_t bytes = 0;  ///< payload sent
    std::uint64_t framesDropped = 0;
    std::uint64_t framesLost = 0;
    std::uint64_t framesShown = 0;  ///< as the viewer reports once a second, and at its end
    std::uint64_t framesSkipped = 0;
    Percentiles latency;             ///< microseconds, from submit to arrival; likewise
    double clockErrorUs = 0;         ///< uncertainty of latency between two hosts; 0 on one host
    std::vector<RailStats> rails{};  ///< if it is served over several

    static constexpr void fields(auto visit) {
        visit("name", &ViewerStats::name);
        visit("peer", &ViewerStats::peer);
        visit("transport", &ViewerStats::transport);
        visit("protection", &ViewerStats::protection);
        visit("connected", &ViewerStats::connected);
        visit("connected_seconds", &ViewerStats::connectedSeconds);
        visit("end_reason", &ViewerStats::endReason, NullUnless{std::not_fn(&ViewerStats::connected)});
        visit("connections", &ViewerStats::connections);
        visit("frames_sent", &ViewerStats::framesSent);
        visit("frames_dropped", &ViewerStats::framesDropped);
        visit("frames_lost", &ViewerStats::framesLost);
        visit("frames_shown", &ViewerStats::framesShown);
        visit("frames_skipped", &ViewerStats::framesSkipped);
        visit("bytes", &ViewerStats::bytes);
        visit("latency_us", &ViewerStats::latency);
        visit("clock_error_us", &ViewerStats::clockErrorUs);
        visit("rails", &ViewerStats::rails, kIfAny);
    }
};

}  // namespace verbcast

// What a sender knows about one of its viewers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

/// Counts since the stream began to use it. Frames are those of the main track.
struct RailStats {
    std::uint32_t number = 1;
    std::string transport;
    std::string local, peer;  ///< the two addresses of its last connection
    bool up = false;
    bool lost = false;         ///< it was there, was lost, and has not come back
    std::uint64_t frames = 0;  ///< sent over it, or arrived
    std::uint64_t bytes = 0;   ///< of their payload
    std::uint64_t first = 0;   ///< of them, those that no other rail had sent, or brought, before
    std::uint64_t missed = 0;  ///< doubled: frames of the stream that it did not bring
    std::uint64_t timesDown = 0;

    static constexpr void fields(auto visit) {
        visit("rail", &RailStats::number);
        visit("transport", &RailStats::transport);
        visit("local", &RailStats::local);
        visit("peer", &RailStats::peer);
        visit("up", &RailStats::up);
        visit({"frames_sent", "frames_received"}, &RailStats::frames);
        visit("bytes", &RailStats::bytes);
        visit("frames_first", &RailStats::first);
        visit({nullptr, "frames_missed"}, &RailStats::missed);
        visit("times_down", &RailStats::timesDown);
    }
};

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

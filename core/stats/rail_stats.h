// What one side knows about a rail of a stream.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace verbcast

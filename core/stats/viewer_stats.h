// What a sender knows about one of its viewers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/rail_stats.h"

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

    /// Adds up what can be added up: frames and bytes.
    void add(const ViewerStats& other) {
        framesSent += other.framesSent;
        bytes += other.bytes;
        framesDropped += other.framesDropped;
        framesLost += other.framesLost;
        framesShown += other.framesShown;
        framesSkipped += other.framesSkipped;
    }
};

}  // namespace verbcast

// The JSON and text forms of a stream's rails (docs/rails.md).
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/stats/rail_stats.h"

namespace verbcast {

/// `received`: on the receiving side.
inline nlohmann::ordered_json railsJson(const std::vector<RailStats>& rails, bool received) {
    auto list = nlohmann::ordered_json::array();
    for (const RailStats& rail : rails) {
        nlohmann::ordered_json json{
            {"rail", rail.number}, {"transport", rail.transport},
            {"local", rail.local}, {"peer", rail.peer},
            {"up", rail.up},       {received ? "frames_received" : "frames_sent", rail.frames},
            {"bytes", rail.bytes}, {"frames_first", rail.first}};
        if (received) {
            json["frames_missed"] = rail.missed;
        }
        json["times_down"] = rail.timesDown;
        list.push_back(std::move(json));
    }
    return list;
}

/// "rail 1: tcp, 10.0.1.2:7423, 3600 frames, 3590 first, 10 missed, down 1 time"
inline std::string railText(const RailStats& rail, bool received) {
    return fmt::format("rail {}: {}, {}{}, {} frames, {} first{}, down {} times", rail.number,
                       rail.transport.empty() ? "never there" : rail.transport, rail.peer,
                       rail.lost ? " (down)" : "", rail.frames, rail.first,
                       received ? fmt::format(", {} missed", rail.missed) : "", rail.timesDown);
}

}  // namespace verbcast

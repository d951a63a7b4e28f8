#include "core/stats/stats_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/stats/decoding_stats.h"
#include "core/stats/histogram.h"
#include "core/stats/numa_stats.h"
#include "core/stats/rail_stats.h"
#include "core/stats/together_stats.h"
#include "core/stats/viewer_stats.h"

namespace verbcast {
namespace {

nlohmann::ordered_json displayJson(const DisplayStats& display) {
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

}  // namespace

nlohmann::ordered_json decodingJson(const DecodingStats& stats) {
    return {{"name", stats.decoder},
            {"codec", stats.codec},
            {"reason", stats.reason},
            {"from_device", stats.fromDevice},
            {"on_device", stats.onDevice}};
}

nlohmann::ordered_json numaJson(const NumaStats& stats) {
    return {{"node", stats.node ? nlohmann::ordered_json(*stats.node) : nlohmann::ordered_json(nullptr)},
            {"chosen_by", stats.chosenBy},
            {"reason", stats.reason}};
}

nlohmann::ordered_json percentilesJson(const Percentiles& p) {
    const auto known = [](bool tells, double value) {
        return tells ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    };
    return {{"p50", known(p.count > 0, p.p50)},
            {"p99", known(p.hasP99(), p.p99)},
            {"p999", known(p.hasP999(), p.p999)},
            {"max", known(p.count > 0, p.max)},
            {"count", p.count}};
}

nlohmann::ordered_json railsJson(const std::vector<RailStats>& rails, bool received) {
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

std::string railText(const RailStats& rail, bool received) {
    return fmt::format("rail {}: {}, {}{}, {} frames, {} first{}, down {} times", rail.number,
                       rail.transport.empty() ? "never there" : rail.transport, rail.peer,
                       rail.lost ? " (down)" : "", rail.frames, rail.first,
                       received ? fmt::format(", {} missed", rail.missed) : "", rail.timesDown);
}

nlohmann::ordered_json togetherJson(const TogetherStats& stats, bool ofSender) {
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

nlohmann::ordered_json viewerJson(const ViewerStats& viewer) {
    nlohmann::ordered_json json{{"name", viewer.name},
                                {"peer", viewer.peer},
                                {"transport", viewer.transport},
                                {"protection", viewer.protection},
                                {"connected", viewer.connected},
                                {"connected_seconds", viewer.connectedSeconds},
                                {"end_reason", viewer.connected ? nlohmann::ordered_json(nullptr)
                                                                : nlohmann::ordered_json(viewer.endReason)},
                                {"connections", viewer.connections},
                                {"frames_sent", viewer.framesSent},
                                {"frames_dropped", viewer.framesDropped},
                                {"frames_lost", viewer.framesLost},
                                {"frames_shown", viewer.framesShown},
                                {"frames_skipped", viewer.framesSkipped},
                                {"bytes", viewer.bytes},
                                {"latency_us", percentilesJson(viewer.latency)},
                                {"clock_error_us", viewer.clockErrorUs}};
    if (!viewer.rails.empty()) {
        json["rails"] = railsJson(viewer.rails, false);
    }
    return json;
}

}  // namespace verbcast

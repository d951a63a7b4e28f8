#include "app/pipe/run/pipeline_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/pipe/pipe_report.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

/// What a hop carried, and the NUMA nodes of its ends.
nlohmann::ordered_json carriedJson(const Hop& hop) {
    const auto place = [](const std::optional<NumaStats>& numa) {
        return numa ? fieldsJson(*numa) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json json = transferJson(hop.status);
    json["from_numa"] = place(hop.fromPlace);
    json["to_numa"] = place(hop.toPlace);
    return json;
}

}  // namespace

void writePipelineReport(const std::string& path, const std::vector<Hop>& hops,
                         const std::vector<std::unique_ptr<RemoteStage>>& stages, const PipelineEnd& end) {
    if (path.empty()) {
        return;
    }
    nlohmann::ordered_json json;
    json["schema"] = "verbcast-pipeline/1";
    json["hops"] = nlohmann::ordered_json::array();
    for (const Hop& hop : hops) {
        nlohmann::ordered_json entry{{"from", hop.from}, {"to", hop.to}};
        entry.update(carriedJson(hop));
        json["hops"].push_back(std::move(entry));
    }
    json["commands"] = nlohmann::ordered_json::array();
    for (const auto& stage : stages) {
        if (stage->stage().kind == StageKind::Command) {
            nlohmann::ordered_json ended;  // null: it did not end
            if (stage->done()) {
                ended = stage->done()->status;
            }
            json["commands"].push_back({{"host", stage->stage().host}, {"exit_code", ended}});
        }
    }
    json["exit_code"] = end.exitCode;
    json["error"] = textOrNull(end.error);
    writeReport(path, json);
}

}  // namespace verbcast

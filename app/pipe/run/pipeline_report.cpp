#include "app/pipe/run/pipeline_report.h"

#include <utility>

#include "app/pipe/pipe_report.h"

namespace verbcast {

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
        entry.update(transferJson(hop.status));
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

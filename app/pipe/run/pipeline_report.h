// --stats-json of `verbcast pipe run`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/pipe/run/hop_lines.h"
#include "app/pipe/run/remote_stage.h"

namespace verbcast {

struct PipelineEnd {
    int exitCode = 0;
    std::string error;  ///< "": none
};

/// Writes nothing if `path` is empty. Throws as writeReport() does.
void writePipelineReport(const std::string& path, const std::vector<Hop>& hops,
                         const std::vector<std::unique_ptr<RemoteStage>>& stages, const PipelineEnd& end);

}  // namespace verbcast

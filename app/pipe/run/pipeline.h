// `verbcast pipe run`: commands on several hosts with pipes between them.
#pragma once

#include <vector>

#include "app/pipe/run/hop_lines.h"
#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

/// Descriptors remain the caller's.
struct PipelineEnds {
    int input = 0;                     ///< read by the first stage
    int output = 1;                    ///< gets the last stage's output
    std::vector<Hop>* hops = nullptr;  ///< if not null, receives what each hop moved
};

/// Returns the exit code: the last command's, or with pipefail the first failing one's. Throws Error{Usage,
/// Input} if it cannot start; later failures are reported on stderr, and nothing is left running.
int runPipeline(const PipelineOptions& options, const PipelineEnds& ends = {});

}  // namespace verbcast

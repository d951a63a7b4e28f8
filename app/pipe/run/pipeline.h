// `verbcast pipe run`: commands on several hosts with pipes between them.
#pragma once

#include <vector>

#include "app/pipe/run/hop_lines.h"
#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

/// Descriptors that stay the caller's.
struct PipelineEnds {
    int input = 0;                     ///< what the first stage reads
    int output = 1;                    ///< where the last one's output goes
    std::vector<Hop>* hops = nullptr;  ///< if not null: gets what each hop moved
};

/// Returns the exit code: the last command's, or with pipefail the first failing one's. Throws Error{Usage,
/// Input} for what cannot begin; what fails later is told on stderr, and nothing is left running.
int runPipeline(const PipelineOptions& options, const PipelineEnds& ends = {});

}  // namespace verbcast

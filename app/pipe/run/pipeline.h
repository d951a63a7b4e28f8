// `verbcast pipe run`: commands on several hosts with pipes between them.
#pragma once

#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

/// Returns the exit code: the last command's, or with pipefail the first failing one's. Throws Error{Usage,
/// Input} if it cannot start; later failures are reported on stderr, and nothing is left running.
int runPipeline(const PipelineOptions& options);

}  // namespace verbcast

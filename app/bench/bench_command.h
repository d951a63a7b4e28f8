// verbcast bench.
#pragma once

#include "app/bench/report/bench_options.h"

namespace verbcast {

/// Returns the exit code: 0, or 130 if interrupted. Throws Error.
int runBench(const BenchOptions& options, int argc, const char* const* argv);

}  // namespace verbcast

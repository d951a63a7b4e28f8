// Shows the progress of a pipe, as pv does.
#pragma once

#include <string>

#include "app/cli/progress_line.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Average since the flow began; 0 before.
double bytesPerSecond(const PipeStatus& status);

/// "1.25 GB 0:00:05 [  254 MB/s] average [  250 MB/s] 45% ETA 0:00:06": percentage and time left if the
/// length is known. `rate`: current bytes per second.
std::string progressText(const PipeStatus& status, double rate);

/// "1.25 GB in 5.03 s, 249 MB/s, xxh3 0123456789abcdef"
std::string summaryText(const PipeStatus& status);

/// Reports waiting for the other end; prints statistics only if verbose. Not thread-safe.
class PipeProgress {
  public:
    explicit PipeProgress(Verbosity verbosity) : verbosity_(verbosity), line_(verbosity) {}
    void show(const PipeStatus& status);
    void finish(const PipeStatus& status, bool delivered);

  private:
    double rateNow(const PipeStatus& status);

    Verbosity verbosity_;
    ProgressLine line_;
    std::uint64_t lastBytes_ = 0;
    double lastSeconds_ = 0;
    bool flowing_ = false;
};

}  // namespace verbcast

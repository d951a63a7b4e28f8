// How a pipe goes, as pv shows it.
#pragma once

#include <string>

#include "app/progress_line.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Of the bytes moved since the flow began; 0 before.
double bytesPerSecond(const PipeStatus& status);

/// "1.25 GiB 0:00:05 [ 254 MiB/s] average [ 250 MiB/s] 45% ETA 0:00:06": share and time left when the length
/// is known. `rate` is that of the last moment, in bytes per second.
std::string progressText(const PipeStatus& status, double rate);

/// "1.25 GiB in 5.03 s, 254 MiB/s, xxh3 0123456789abcdef"
std::string summaryText(const PipeStatus& status);

/// What waits for the other end says so; figures come only when verbose. Used by one thread.
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

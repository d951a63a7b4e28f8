// The progress of a pipe, as pv shows it.
#pragma once

#include <string>

#include "app/cli/progress_line.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Of the bytes moved since the flow began; 0 before.
double bytesPerSecond(const PipeStatus& status);

/// "1.25 GB 0:00:05 [  254 MB/s] average [  250 MB/s] 45% ETA 0:00:06": share and time left when the length
/// is known. `rate` is the current one, in bytes per second.
std::string progressText(const PipeStatus& status, double rate);

/// "1.25 GB in 5.03 s, 249 MB/s, xxh3 0123456789abcdef"
std::string summaryText(const PipeStatus& status);

/// Says that it waits for the other end; prints figures only when verbose. Used by one thread.
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

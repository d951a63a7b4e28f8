// What a pipe tells its user: progress, as pv does, and --stats-json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/progress_line.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

/// Average since the flow began; 0 before.
double bytesPerSecond(const PipeStatus& status);

/// "1.25 GB 0:00:05 [  254 MB/s] average [  250 MB/s] 45% ETA 0:00:06": the rate since `shown`, which becomes
/// the status; percentage and time left if the length is known.
std::string progressText(const PipeStatus& status, PipeStatus& shown);

/// "1.25 GB in 5.03 s, 249 MB/s, xxh3 0123456789abcdef"
std::string summaryText(const PipeStatus& status);

/// Null if the text is empty.
nlohmann::ordered_json textOrNull(const std::string& text);

/// What one connection moved: transport, bytes, seconds, gigabytes_per_second, block_bytes, depth and
/// checksum (null: none or unknown).
nlohmann::ordered_json transferJson(const PipeStatus& status);

/// Writes to a file, completely or not at all; "-" is standard output. Check with checkWritable() first.
void writeReport(const std::string& path, const nlohmann::ordered_json& report);

/// Reports waiting for the other end; prints statistics only if verbose. Not thread-safe.
class PipeProgress {
  public:
    explicit PipeProgress(Verbosity verbosity) : verbosity_(verbosity), line_(verbosity) {}
    void show(const PipeStatus& status);
    void finish(const PipeStatus& status, bool delivered);

  private:
    Verbosity verbosity_;
    ProgressLine line_;
    PipeStatus shown_;
};

}  // namespace verbcast

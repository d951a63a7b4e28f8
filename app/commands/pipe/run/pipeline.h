// `verbcast pipe run`: commands on several hosts with pipes between them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/stream_options.h"
#include "core/pipe/pipe_run.h"
#include "core/transport/url.h"

namespace verbcast {

enum class StageKind {
    Command,  ///< a shell command: reads from the previous stage, writes to the next
    Read,     ///< host:'<file', the first stage
    Write,    ///< host:'>file', the last stage
};

struct PipelineStage {
    std::string host;  ///< as ssh takes it: user@name, an alias
    StageKind kind = StageKind::Command;
    std::string text;  ///< the command, or the file's path
};

struct PipelineOptions {
    std::vector<PipelineStage> stages;  ///< at least one
    /// Program and arguments before the host.
    std::vector<std::string> ssh{"ssh", "-o", "ConnectTimeout=15"};
    std::string program = "verbcast";  ///< on the hosts, as the shell there takes it
    std::string transport;             ///< for all hops; empty: the best for each
    /// Host as above, and where to send its data; the last one of a host counts.
    std::vector<std::pair<std::string, std::string>> routes;
    PipeSettings transfer;  ///< for all hops: block, depth and checksum
    NumaChoice numa{};      ///< on every host
    /// Limit for each host to answer and for each connection; nullopt: the defaults of ssh and
    /// kStageConnecting.
    std::optional<std::chrono::nanoseconds> patience;
    std::string statsJson;  ///< "": none, "-": standard output
    bool pipefail = false;
    Verbosity verbosity = Verbosity::Normal;
};

/// Returns the exit code: the last command's, or with pipefail or into a file the first failing one's. Throws
/// Error{Usage, Input} if it cannot start; later failures are reported on stderr, and nothing is left
/// running.
int runPipeline(const PipelineOptions& options);

/// `verbcast pipe stage` has no options: it gets everything from standard input.
struct StageOptions {};

/// One host's part: takes orders on standard input and reports on standard output (stage_protocol.h) until
/// standard input ends. Returns the exit code: 0 if everything was done as ordered.
int runStage();

}  // namespace verbcast

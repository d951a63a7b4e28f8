// What `verbcast pipe run` was asked for.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "core/pipe/pipe_run.h"
#include "core/transport/url.h"

namespace verbcast {

enum class StageKind {
    Command,  ///< a shell's command: reads the stage before, writes to the next
    Read,     ///< host:'<file', the first stage
    Write,    ///< host:'>file', the last stage
};

struct PipelineStage {
    std::string host;  ///< as ssh takes it: user@name, an alias
    StageKind kind = StageKind::Command;
    std::string text;  ///< the command, or the file's path
};

struct PipelineOptions {
    std::vector<PipelineStage> stages;          ///< at least one
    std::vector<std::string> ssh;               ///< program and arguments that come before the host
    std::string program;                        ///< verbcast at the hosts, as the shell there takes it
    std::string transport;                      ///< of all hops; empty: the best of each
    std::map<std::string, std::string> routes;  ///< host as above -> where its data goes
    PipeSettings transfer;                      ///< of all hops: block, depth and checksum
    /// For each host to answer, and for each connection; nothing: what ssh and kStageConnecting allow.
    std::optional<std::chrono::nanoseconds> patience;
    std::string statsJson;  ///< "": none, "-": standard output
    bool pipefail = false;
    Verbosity verbosity = Verbosity::Normal;
};

/// `verbcast pipe stage` has none: all comes from its standard input.
struct StageOptions {};

}  // namespace verbcast

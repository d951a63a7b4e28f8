// `verbcast pipe`: a UNIX pipe from one machine to another.
#pragma once

#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "core/pipe/pipe_run.h"

namespace verbcast {

enum class PipeKind { Send, Receive, Relay };

struct PipeOptions {
    PipeKind kind = PipeKind::Send;
    std::vector<PipeAddress> addresses;  ///< Send: each receiver's; Receive: one; Relay: from, to
    PipeSettings settings;
    std::string input;      ///< Send; "": standard input
    std::string output;     ///< Receive; "": standard output
    bool resume = false;    ///< Receive, with an output
    std::string statsJson;  ///< "": none, "-": standard output
    Verbosity verbosity = Verbosity::Normal;
    NumaChoice numa{};
};

/// Returns the exit code: 0 if everything was delivered and flushed. Throws Error if it cannot start; later
/// failures are printed on stderr.
int runPipe(const PipeOptions& options);

}  // namespace verbcast

// The command lines of `verbcast pipe run` and of `verbcast pipe stage`, which it starts on each host.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/cli/cli11.h"
#include "app/cli/verbosity_options.h"
#include "app/pipe/pipe_command_line.h"
#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

/// Adds both commands to `pipe`. Must live until finish().
class PipelineCommandLine {
  public:
    explicit PipelineCommandLine(CLI::App& pipe);
    bool parsed() const;
    /// Throws Error{Usage} for options that contradict each other.
    std::variant<PipelineOptions, StageOptions> finish() const;

  private:
    void addAccess();
    void finishAccess(PipelineOptions& options) const;

    CLI::App* run_;
    CLI::App* stage_;
    std::vector<std::string> stages_;
    // How to reach hosts and send data to them.
    std::vector<std::string> routes_;
    std::string ssh_ = "ssh -o ConnectTimeout=15", program_ = "verbcast", transport_ = "auto";
    std::string wait_, statsJson_, numa_ = NumaChoice{}.text;
    VerbosityOptions verbosity_;
    TransferCommandLine transfer_;
    bool pipefail_ = false;
};

/// Parses "host:command", "user@host:<file", "[::1]:>file". Throws Error{Usage}.
PipelineStage parseStage(const std::string& text);

}  // namespace verbcast

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

/// How to reach hosts and send data to them: options of every command that has hosts.
class AccessCommandLine {
  public:
    /// This object must live until finish().
    void add(CLI::App& command);
    /// `options` already has its stages. Throws Error{Usage}.
    void finish(PipelineOptions& options) const;

  private:
    std::vector<std::string> routes_;
    std::string ssh_ = "ssh -o ConnectTimeout=15", program_ = "verbcast", transport_ = "auto";
    std::string wait_, statsJson_, numa_ = NumaChoice{}.text;
    VerbosityOptions verbosity_;
};

/// Adds both commands to `pipe`. Must live until finish().
class PipelineCommandLine {
  public:
    explicit PipelineCommandLine(CLI::App& pipe);
    bool parsed() const;
    /// Throws Error{Usage} for options that contradict each other.
    std::variant<PipelineOptions, StageOptions> finish() const;

  private:
    CLI::App* run_;
    CLI::App* stage_;
    std::vector<std::string> stages_;
    AccessCommandLine access_;
    TransferCommandLine transfer_;
    bool pipefail_ = false;
};

/// Position where the host ends in "host:more": the first colon outside brackets.
std::size_t endOfHost(const std::string& text);
/// "user@[::1]" as ssh takes it. Throws Error{Usage} if it is not a host.
std::string hostOf(const std::string& text, std::size_t end);

/// Parses "host:command", "user@host:<file", "[::1]:>file". Throws Error{Usage}.
PipelineStage parseStage(const std::string& text);

}  // namespace verbcast

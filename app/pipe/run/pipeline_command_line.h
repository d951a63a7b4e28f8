// The command lines of `verbcast pipe run` and of `verbcast pipe stage`, which it starts on each host.
#pragma once

#include <string>
#include <variant>

#include "app/cli/options/command.h"
#include "app/pipe/run/pipeline_options.h"

namespace verbcast {

/// How to reach hosts and send data to them: options of every command that has hosts.
void addAccess(OptionList& options, PipelineOptions& access);
/// `access` already has its stages. Throws Error{Usage}.
void checkAccess(const PipelineOptions& access);

/// Adds both commands to `pipe`. Must live until finish().
class PipelineCommandLine {
  public:
    explicit PipelineCommandLine(Command& pipe);
    PipelineCommandLine(const PipelineCommandLine&) = delete;
    PipelineCommandLine& operator=(const PipelineCommandLine&) = delete;

    bool parsed() const { return run_.chosen || stage_.chosen; }
    /// Throws Error{Usage} for options that contradict each other.
    std::variant<PipelineOptions, StageOptions> finish() const;

  private:
    void addStages();

    Command& run_;
    Command& stage_;
    PipelineOptions options_;
};

/// Position where the host ends in "host:more": the first colon outside brackets.
std::size_t endOfHost(const std::string& text);
/// "user@[::1]" as ssh takes it. Throws Error{Usage} if it is not a host.
std::string hostOf(const std::string& text, std::size_t end);

/// Parses "host:command", "user@host:<file", "[::1]:>file". Throws Error{Usage}.
PipelineStage parseStage(const std::string& text);

}  // namespace verbcast

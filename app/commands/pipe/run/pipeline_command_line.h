// The command lines of `verbcast pipe run` and of `verbcast pipe stage`, which it starts on each host.
#pragma once

#include <variant>

#include "app/cli/options/command.h"
#include "app/commands/pipe/run/pipeline.h"

namespace verbcast {

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
    Command& run_;
    Command& stage_;
    PipelineOptions options_;
};

}  // namespace verbcast

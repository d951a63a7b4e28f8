// The command line of `verbcast run`.
#pragma once

#include <string>
#include <vector>

#include "app/commands/send/sending_command_line.h"
#include "app/preload/run_options.h"

namespace verbcast {

/// Adds `run` to the commands. Must live until finish().
class RunCommandLine final : public SendingCommandLine {
  public:
    explicit RunCommandLine(Command& verbcast);
    void appendProgram(const std::vector<std::string>& words) {
        options_.program.insert(options_.program.end(), words.begin(), words.end());
    }
    /// Throws Error{Usage} for options that contradict each other.
    RunOptions finish() const;

  private:
    RunOptions options_;
};

}  // namespace verbcast

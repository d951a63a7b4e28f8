// The command line of `verbcast run`.
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/run/run_options.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

/// Adds `run` to a program's options. Must live until finish().
class RunCommandLine final : public SendingCommandLine {
  public:
    explicit RunCommandLine(CLI::App& app);
    void appendProgram(const std::vector<std::string>& words) {
        options_.program.insert(options_.program.end(), words.begin(), words.end());
    }
    /// Throws Error{Usage} for options that contradict each other.
    RunOptions finish() const;

  private:
    std::string size_;
    RunOptions options_;
};

}  // namespace verbcast

// The command line of `verbcast compose`.
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/compose/compose_options.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

/// Adds `compose` to a program's options. Must live until finish().
class ComposeCommandLine final : public SendingCommandLine {
  public:
    explicit ComposeCommandLine(CLI::App& app);
    /// Throws Error{Usage} for options that contradict each other.
    ComposeOptions finish() const;

  private:
    std::vector<std::string> parts_;
    std::string by_ = "depth";
    ComposeOptions options_;
};

}  // namespace verbcast

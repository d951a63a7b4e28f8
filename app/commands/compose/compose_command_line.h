// The command line of `verbcast compose`.
#pragma once

#include <string>
#include <vector>

#include "app/commands/compose/compose_options.h"
#include "app/commands/send/sending_command_line.h"

namespace verbcast {

/// Adds `compose` to the commands. Must live until finish().
class ComposeCommandLine final : public SendingCommandLine {
  public:
    explicit ComposeCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    ComposeOptions finish() const;

  private:
    std::vector<std::string> parts_;
    ComposeOptions options_;
};

}  // namespace verbcast

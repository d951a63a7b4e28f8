// The command line of `verbcast relay`.
#pragma once

#include "app/cli/peer_options.h"
#include "app/commands/relay/relay_options.h"
#include "app/commands/send/sending_command_line.h"

namespace verbcast {

/// Adds `relay` to the commands. Must live until finish().
class RelayCommandLine final : public SendingCommandLine {
  public:
    explicit RelayCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    RelayOptions finish() const;

  private:
    PeerOptions from_;
    RelayOptions options_;
};

}  // namespace verbcast

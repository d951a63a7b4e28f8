// The command line of `verbcast relay`.
#pragma once

#include "app/cli/cli11.h"
#include "app/cli/peer_options.h"
#include "app/relay/relay_options.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

/// Adds `relay` to a program's options. Must live until finish().
class RelayCommandLine final : public SendingCommandLine {
  public:
    explicit RelayCommandLine(CLI::App& app);
    /// Throws Error{Usage} for options that contradict each other.
    RelayOptions finish() const;

  private:
    PeerOptions from_;
    RelayOptions options_;
};

}  // namespace verbcast

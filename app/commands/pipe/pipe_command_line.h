// The command line of `verbcast pipe`.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "app/cli/options/command.h"
#include "app/cli/peer_options.h"
#include "app/cli/trust/trust_choice.h"
#include "app/commands/pipe/pipe_command.h"

namespace verbcast {

/// --block, --depth and --checksum, for every command that has a pipe.
void addTransfer(OptionList& options, PipeSettings& settings);
/// Throws Error{Usage} if the blocks in flight are too large together.
void checkTransfer(const PipeSettings& settings);

/// Adds `pipe` and its commands. Must live until finish().
class PipeCommandLine {
  public:
    explicit PipeCommandLine(Command& verbcast);
    PipeCommandLine(const PipeCommandLine&) = delete;
    PipeCommandLine& operator=(const PipeCommandLine&) = delete;

    /// For further commands of it.
    Command& command() { return pipe_; }
    /// Also by one of those.
    bool parsed() const { return pipe_.chosen; }
    /// Throws Error{Usage} for options that contradict each other.
    PipeOptions finish() const;

  private:
    void addSend();
    void addReceive();
    void addRelay();
    void addCommon(OptionList& list);
    std::vector<SessionAddress> peers() const;

    Command& pipe_;
    Command& send_;
    Command& receive_;
    Command& relay_;
    PeerOptions to_, from_;                // for send and recv
    PeerOptions relayedFrom_, relayedTo_;  // for relay
    std::optional<std::chrono::nanoseconds> patience_;
    TrustChoice trust_;
    PipeOptions options_;
};

}  // namespace verbcast

// Command line options common to all commands that send.
#pragma once

#include <string>

#include "app/cli/stream_command_line.h"
#include "app/commands/send/sending_options.h"

namespace verbcast {

/// Adds pacing, the policy for slow viewers, and who watches.
class SendingCommandLine : public StreamCommandLine {
  protected:
    SendingCommandLine(Command& parent, const std::string& name, const std::string& description);

    /// Adds --to and --listen.
    void addPeers();
    void addRest(SendingOptions& options);
    /// Throws Error{Usage} for options that contradict each other.
    void finish(SendingOptions& options, bool listensElsewhere = false, bool connectsElsewhere = false) const;
    /// What --memory was given.
    std::string memoryText() const { return command().options.find("--memory")->text(); }

  private:
    void finishMemory(const SendingOptions& options) const;
};

}  // namespace verbcast

// The command line of `verbcast send`.
#pragma once

#include "app/commands/send/send_options.h"
#include "app/commands/send/sending_command_line.h"

namespace verbcast {

/// Adds `send` to the commands. Must live until finish().
class SendCommandLine final : public SendingCommandLine {
  public:
    explicit SendCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    SendOptions finish() const;

  private:
    void addSource();
    void addPicture();
    void addDelivery();
    void checkSeveral(const SendOptions& options) const;
    void checkStereo(const SendOptions& options) const;
    void placeMemory(SendOptions& options) const;
    void finishMemory(SendOptions& options) const;

    SendOptions options_;
};

}  // namespace verbcast

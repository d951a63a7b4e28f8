// The command line of `verbcast send`.
#pragma once

#include <string>

#include "app/cli/cli11.h"
#include "app/send/send_options.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

/// Adds `send` to a program's options. Must live until finish().
class SendCommandLine final : public SendingCommandLine {
  public:
    explicit SendCommandLine(CLI::App& app);
    /// Throws Error{Usage} for options that contradict each other.
    SendOptions finish() const;

  private:
    void checkSeveral(const SendOptions& options) const;
    void checkStereo(const SendOptions& options) const;
    void finishMemory(SendOptions& options) const;

    std::string cameraMemory_ = "auto", screenMemory_ = "auto";
    std::string format_, size_, start_, length_, decoder_ = "auto";
    SendOptions options_;
};

}  // namespace verbcast

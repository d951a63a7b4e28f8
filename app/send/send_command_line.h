// The command lines of `verbcast send`, `verbcast render`, `verbcast relay` and `verbcast compose`.
#pragma once

#include <string>

#include "app/cli/cli11.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

// Each adds its command to a program's options and must live until finish(), which throws Error{Usage} for
// contradictory options.

class SendCommandLine final : public SendingCommandLine {
  public:
    explicit SendCommandLine(CLI::App& app);
    SendOptions finish() const;

  private:
    void checkSeveral(const SendOptions& options) const;

    std::string cameraMemory_ = "auto";
    std::string format_, size_, start_, length_, decoder_ = "auto";
    SendOptions options_;
};

class RenderCommandLine final : public SendingCommandLine {
  public:
    explicit RenderCommandLine(CLI::App& app);
    RenderOptions finish() const;

  private:
    void finishSource(RenderOptions& options) const;

    std::string size_, part_, wall_, source_;
    RenderOptions options_;
};

class RelayCommandLine final : public SendingCommandLine {
  public:
    explicit RelayCommandLine(CLI::App& app);
    RelayOptions finish() const;

  private:
    PeerOptions from_;
    RelayOptions options_;
};

class ComposeCommandLine final : public SendingCommandLine {
  public:
    explicit ComposeCommandLine(CLI::App& app);
    ComposeOptions finish() const;

  private:
    std::vector<std::string> parts_;
    std::string by_ = "depth";
    ComposeOptions options_;
};

}  // namespace verbcast

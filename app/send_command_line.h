// The command lines of `verbcast send`, `verbcast render` and `verbcast relay`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/stream_command_line.h"

namespace verbcast {

// Each adds its command to a program's options and lives until finish(), which throws Error{Usage} for what
// does not fit together.

class SendCommandLine final : public SendingCommandLine {
  public:
    explicit SendCommandLine(CLI::App& app);
    SendOptions finish() const;

  private:
    std::string format_, size_;
    SendOptions options_;
};

class RenderCommandLine final : public SendingCommandLine {
  public:
    explicit RenderCommandLine(CLI::App& app);
    RenderOptions finish() const;

  private:
    std::string size_ = "1920x1080";
    RenderOptions options_;
};

class RelayCommandLine final : public SendingCommandLine {
  public:
    explicit RelayCommandLine(CLI::App& app);
    RelayOptions finish() const;

  private:
    std::string from_;
    RelayOptions options_;
};

}  // namespace verbcast

// The command line of `verbcast key`.
#pragma once

#include "app/cli/options/command.h"
#include "app/commands/key/key_command.h"

namespace verbcast {

/// Adds `key` to the commands. Must live until finish().
class KeyCommandLine {
  public:
    explicit KeyCommandLine(Command& verbcast);
    KeyCommandLine(const KeyCommandLine&) = delete;
    KeyCommandLine& operator=(const KeyCommandLine&) = delete;

    bool parsed() const { return key_.chosen; }
    KeyOptions finish() const;

  private:
    Command &key_, &new_, &pair_, &list_, &forget_;
    KeyOptions options_;
};

}  // namespace verbcast

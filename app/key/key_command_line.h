// The command line of `verbcast key`.
#pragma once

#include "app/cli/cli11.h"
#include "app/key/key_command.h"

namespace verbcast {

/// Adds `key` to a program's options. Must live until finish().
class KeyCommandLine {
  public:
    explicit KeyCommandLine(CLI::App& app);
    KeyCommandLine(const KeyCommandLine&) = delete;
    KeyCommandLine& operator=(const KeyCommandLine&) = delete;

    bool parsed() const;
    KeyOptions finish() const;

  private:
    CLI::App *key_, *list_, *forget_, *pair_;
    std::string file_, host_, url_;
};

}  // namespace verbcast

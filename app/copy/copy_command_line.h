// The command lines of `verbcast copy` and of `verbcast copy-receive`, which it starts on the host.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/cli/cli11.h"
#include "app/copy/copy_options.h"
#include "app/pipe/run/pipeline_command_line.h"

namespace verbcast {

/// Adds both commands to a program's options. Must live until finish().
class CopyCommandLine {
  public:
    explicit CopyCommandLine(CLI::App& app);
    bool parsed() const;
    /// Throws Error{Usage} for options that contradict each other.
    std::variant<CopyOptions, CopyReceiveOptions> finish() const;

  private:
    CLI::App* copy_;
    CLI::App* receive_;
    std::vector<std::string> places_;
    AccessCommandLine access_;
    CopyOptions options_;
    CopyReceiveOptions receiveOptions_;
};

}  // namespace verbcast

// The command line of `verbcast view`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/stream_command_line.h"

namespace verbcast {

/// Adds `view` to a program's options. Lives until finish().
class ViewCommandLine final : public StreamCommandLine {
  public:
    explicit ViewCommandLine(CLI::App& app);
    /// Throws Error{Usage} for what does not fit together.
    ViewOptions finish() const;

  private:
    void finishOutput(ViewOptions& options) const;

    std::string container_;
    ViewOptions options_;
};

}  // namespace verbcast

// --stats-fd and --preview, by which another program, such as the main window, watches a command that sends.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/transport/url.h"

namespace verbcast {

/// The options as text, not parsed yet.
class WatchOptions {
  public:
    /// Adds them to a command. This object outlives its parsing.
    void addTo(CLI::App& command);

    /// Throws Error{Usage} for an address that is none, or not of this machine.
    std::optional<Url> preview() const;
    /// -1: none was given. Throws Error{Usage} for what is no number.
    int statsDescriptor() const;

  private:
    std::string preview_, statsDescriptor_;
};

}  // namespace verbcast

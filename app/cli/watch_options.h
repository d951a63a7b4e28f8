// --stats-fd and --preview: let another program, such as the main window, watch a command that sends.
#pragma once

#include <optional>
#include <string>

#include "app/cli/cli11.h"
#include "core/transport/url.h"

namespace verbcast {

/// The options as text, not yet parsed.
class WatchOptions {
  public:
    /// Adds both to a command. This object must outlive parsing.
    void addTo(CLI::App& command);

    /// Throws Error{Usage} if the address is invalid or not on this machine.
    std::optional<Url> preview() const;
    /// -1: not given. Throws Error{Usage} if it is not a number.
    int statsDescriptor() const;

  private:
    std::string preview_, statsDescriptor_;
};

}  // namespace verbcast

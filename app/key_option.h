// --key-file of every command that meets a peer.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/session/session_key.h"

namespace verbcast {

/// The option as text, before it is understood.
class KeyOption {
  public:
    /// Adds it to a command. This object outlives its parsing.
    void addTo(CLI::App& command);
    /// Of the file; without one, of VERBCAST_KEY; without that, none. Throws Error{Usage}.
    std::optional<SessionKey> key() const;

  private:
    std::string file_;
};

}  // namespace verbcast

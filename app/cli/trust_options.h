// Whom a command lets in: --key-file, --encrypt and, for listeners, --open and --grant.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/trust_choice.h"

namespace verbcast {

/// The options as text, not parsed yet.
class TrustOptions {
  public:
    /// Adds them to a command. This object outlives its parsing.
    void addTo(CLI::App& command);
    /// Those for a command that only connects.
    void addKeyTo(CLI::App& command);

    const TrustChoice& choice() const { return choice_; }
    /// Throws as trustFor().
    Trust trust(bool listens, const Url& url) const { return trustFor(choice_, listens, url); }

  private:
    TrustChoice choice_;
};

}  // namespace verbcast

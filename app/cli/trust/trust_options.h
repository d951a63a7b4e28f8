// Options for whom a command lets in: --key-file, --encrypt and, for listeners, --open and --grant.
#pragma once

#include "app/cli/trust/trust_choice.h"

namespace CLI {
class App;
}

namespace verbcast {

/// The options as text, not yet parsed.
class TrustOptions {
  public:
    /// Adds all options to a command. This object must outlive parsing.
    void addTo(CLI::App& command);
    /// Adds only the options of a command that connects.
    void addKeyTo(CLI::App& command);

    const TrustChoice& choice() const { return choice_; }
    /// Throws as trustFor().
    Trust trust(bool listens, const Url& url) const { return trustFor(choice_, listens, url); }

  private:
    TrustChoice choice_;
};

}  // namespace verbcast

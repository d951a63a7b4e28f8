// Whom a command lets in: --key-file, --encrypt and, where it listens, --open and --grant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/session/trust.h"
#include "core/transport/url.h"

namespace verbcast {

/// The options as text, before they are understood.
class TrustOptions {
  public:
    /// Adds them to a command. This object outlives its parsing.
    void addTo(CLI::App& command);
    /// Those for a command that only connects.
    void addKeyTo(CLI::App& command);

    /// The key is that of the file; without one, of VERBCAST_KEY; without that, when connecting, the one that
    /// was agreed with that host by pairing. Throws Error{Usage}.
    Trust trust(bool listens, const Url& url) const;

  private:
    std::string file_;
    std::string grants_;
    bool encrypt_ = false;
    bool open_ = false;
};

/// "view,input" as a set. Throws Error{Usage}.
Grants parseGrants(const std::string& text);
std::string grantsText(Grants grants);

}  // namespace verbcast

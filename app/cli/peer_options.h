// Where a command meets its peer: --to URL or --from URL connects to it, --listen [ADDRESS] waits for it
// here. They mean the same in every command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/stream_options.h"

namespace verbcast {

/// "tcp://a:7000,tcp://b:7000": the rails of one peer. Throws Error{Usage} for what is no address, or no
/// rail.
PeerAddress parsePeer(const std::string& text);

/// The two options of one side of a command. Lives until finish().
class PeerOptions {
  public:
    struct Option {
        const char* name;  ///< as CLI11 takes it: "--to", or "--from,URL" for one that needs no name
        const char* help;
    };

    void add(CLI::App& command, const Option& connect, const Option& listen);
    /// The same, for a command that may connect to several peers.
    void addMany(CLI::App& command, const Option& connect, const Option& listen);

    /// A peer may have several addresses, "URL,URL": the rails of one stream. Elsewhere that is refused.
    void takeRails() { takesRails_ = true; }

    bool given() const;
    /// Where neither option was given: every address, or localhost. Throws Error{Usage} naming both options
    /// when both are, and for an address that is none.
    PeerAddress finish(bool listensByDefault) const { return finishMany(listensByDefault).front(); }
    /// At least one.
    std::vector<PeerAddress> finishMany(bool listensByDefault) const;

  private:
    CLI::Option* connect_ = nullptr;
    CLI::Option* listen_ = nullptr;
    std::vector<std::string> peers_;
    std::string listenAt_;
    bool many_ = false;
    bool takesRails_ = false;
};

/// --wait of every command that has a peer.
void addWait(CLI::App& command, std::string& wait);

}  // namespace verbcast

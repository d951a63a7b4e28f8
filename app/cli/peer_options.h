// Options for a command's peer: --to URL or --from URL connects to it, --listen [ADDRESS] waits for it here.
// They mean the same in every command.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/cli/stream_options.h"

namespace verbcast {

/// Parses the rails of one peer: "tcp://a:7000,tcp://b:7000". Throws Error{Usage} if one is no address or
/// cannot be a rail.
PeerAddress parsePeer(const std::string& text);

/// The two options for one side of a command. Must live until finish().
class PeerOptions {
  public:
    struct Option {
        const char* name;  ///< as CLI11 takes it: "--to", or "--from,URL" if positional too
        const char* help;
    };

    void add(CLI::App& command, const Option& connect, const Option& listen);
    /// The same for a command that may connect to several peers.
    void addMany(CLI::App& command, const Option& connect, const Option& listen);

    /// Allows several addresses per peer, "URL,URL": the rails of one stream. Otherwise they are rejected.
    void takeRails() { takesRails_ = true; }

    bool given() const;
    /// If neither option was given: every address, or localhost. Throws Error{Usage} if both were given,
    /// naming them, or if the address is invalid.
    PeerAddress finish(bool listensByDefault) const { return finishMany(listensByDefault).front(); }
    /// Returns at least one.
    std::vector<PeerAddress> finishMany(bool listensByDefault) const;

  private:
    CLI::Option* connect_ = nullptr;
    CLI::Option* listen_ = nullptr;
    std::vector<std::string> peers_;
    std::string listenAt_;
    bool many_ = false;
    bool takesRails_ = false;
};

/// Adds --wait, for every command that has a peer.
void addWait(CLI::App& command, std::string& wait);
/// Adds --timeout, whose default is the text's value.
CLI::Option* addTimeout(CLI::App& command, std::string& timeout);
/// Throws Error{Usage}, naming `variable` if the value is from that environment variable.
std::chrono::milliseconds parseTimeout(const std::string& timeout, const char* variable = nullptr);

}  // namespace verbcast

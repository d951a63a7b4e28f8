// Options for a command's peer: --to URL or --from URL connects to it, --listen [ADDRESS] waits for it here.
// They mean the same in every command.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options/option_list.h"
#include "app/cli/stream_options.h"

namespace verbcast {

/// Parses the rails of one peer: "tcp://a:7000,tcp://b:7000". Throws Error{Usage} if one is no address or
/// cannot be a rail, or if a group's is not a viewer's.
SessionAddress parsePeer(const std::string& text);
/// The text that parsePeer() reads as this address.
std::string addressText(const SessionAddress& peer);

/// Rejects a host that does not exist: commands wait only for peers that are late. Throws Error{Network} if
/// the host to connect to has no address. Asks the name service, which may take seconds.
void checkHostExists(const SessionAddress& peer);

/// The two options for one side of a command. Must live until finish().
class PeerOptions {
  public:
    struct Names {
        const char* names;  ///< see Option: "--to", or "--from,URL"
        const char* help;
    };

    /// `many`: the command may connect to several peers.
    void add(OptionList& options, const Names& connect, const Names& listen, bool many = false);

    /// Allows several addresses per peer, "URL,URL": the rails of one stream. Otherwise they are rejected.
    void takeRails() { takesRails_ = true; }

    bool given() const { return connect_->given || listen_->given; }
    /// If neither option was given: every address, or localhost. Throws Error{Usage} if both were given,
    /// naming them, or if the address is invalid.
    SessionAddress finish(bool listensByDefault) const { return finishMany(listensByDefault).front(); }
    /// Returns at least one.
    std::vector<SessionAddress> finishMany(bool listensByDefault) const;

  private:
    const BoundOption* connect_ = nullptr;
    const BoundOption* listen_ = nullptr;
    std::vector<std::string> peers_;
    std::string listenAt_;
    bool many_ = false;
    bool takesRails_ = false;
};

}  // namespace verbcast

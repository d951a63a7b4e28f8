// Command line options common to all commands that send or view streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/options/command.h"
#include "app/cli/peer_options.h"
#include "app/cli/stream_options.h"

namespace verbcast {

/// Options for the peer, the end of the stream, and reports.
class StreamCommandLine {
  public:
    bool parsed() const { return command_.chosen; }

  protected:
    StreamCommandLine(Command& parent, const std::string& name, const std::string& description);
    StreamCommandLine(const StreamCommandLine&) = delete;
    StreamCommandLine& operator=(const StreamCommandLine&) = delete;

    Command& command() { return command_; }
    const Command& command() const { return command_; }
    OptionList& list() { return command_.options; }
    bool given(const char* option) const { return command_.options.given(option); }
    /// Add before the rest.
    PeerOptions& peer() { return peer_; }
    bool peerGiven() const { return peer_.given(); }
    /// With the trust and rails that the options give. Throws Error{Usage}.
    StreamPeer peerAt(const SessionAddress& address, bool listensElsewhere = false) const;
    /// For commands that receive.
    void addMaxMemory(std::optional<std::uint64_t>& bytes);
    void addRest(StreamOptions& options);
    /// Returns the peers, at least one. Throws Error{Usage} for options that contradict each other.
    /// `listensElsewhere`: the command also listens for a second peer; `connectsElsewhere`: it also connects
    /// to one.
    std::vector<StreamPeer> finish(bool listensByDefault, bool listensElsewhere = false,
                                   bool connectsElsewhere = false) const;
    const TrustChoice& trust() const { return *trust_; }

  private:
    Command& command_;
    PeerOptions peer_;
    const TrustChoice* trust_ = nullptr;  // of the options
    bool once_ = false;
    std::optional<RailMode> rails_;
};

}  // namespace verbcast

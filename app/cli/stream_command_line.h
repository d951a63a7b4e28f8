// Command line options common to all commands that send or view streams.
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/cli/peer_options.h"
#include "app/cli/stream_options.h"
#include "app/cli/trust/trust_options.h"
#include "app/cli/verbosity_options.h"

namespace verbcast {

/// Options for the peer, the end of the stream, and recording.
class StreamCommandLine {
  public:
    bool parsed() const;

  protected:
    StreamCommandLine(CLI::App& app, const std::string& name, const std::string& description);
    StreamCommandLine(const StreamCommandLine&) = delete;
    StreamCommandLine& operator=(const StreamCommandLine&) = delete;

    CLI::App& command() { return *command_; }
    /// Add before the rest.
    PeerOptions& peer() { return peer_; }
    bool peerGiven() const { return peer_.given(); }
    /// With the trust and rails that the options give. Throws Error{Usage}.
    StreamPeer peerAt(const PeerAddress& address, bool listensElsewhere = false) const;
    const TrustChoice& trust() const { return trust_.choice(); }
    /// For commands that receive.
    void addMaxMemory();
    void addRest(StreamOptions& options);
    /// Fills in the options and returns the peers, at least one. Throws Error{Usage} for options that
    /// contradict each other. `listensElsewhere`: the command also listens for a second peer;
    /// `connectsElsewhere`: it also connects to one.
    std::vector<StreamPeer> finish(StreamOptions& options, bool listensByDefault,
                                   bool listensElsewhere = false, bool connectsElsewhere = false) const;

  private:
    void checkRailsOption(bool connects) const;

    CLI::App* command_;
    PeerOptions peer_;
    TrustOptions trust_;
    VerbosityOptions verbosity_;
    std::string seconds_, wait_, timeout_, frames_, maxMemory_, rails_;
    std::string numa_ = NumaChoice{}.text;
};

}  // namespace verbcast

// The command line of `verbcast pipe`.
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/cli/peer_options.h"
#include "app/cli/trust/trust_options.h"
#include "app/cli/verbosity_options.h"
#include "app/pipe/pipe_options.h"

namespace verbcast {

/// --block, --depth and --checksum, for every command that has a pipe.
class TransferCommandLine {
  public:
    /// This object must live until finish().
    void add(CLI::App& command);
    /// Throws Error{Usage} for values out of range.
    void finish(PipeSettings& settings) const;

  private:
    std::vector<const CLI::App*> commands_;
    std::string block_ = "1M", checksum_;
    std::uint32_t depth_ = PipeSettings{}.depth;
};

/// Adds `pipe` and its subcommands to a program's options. Must live until finish().
class PipeCommandLine {
  public:
    explicit PipeCommandLine(CLI::App& app);
    bool parsed() const;
    /// Throws Error{Usage} for options that contradict each other.
    PipeOptions finish() const;

  private:
    void addSend();
    void addReceive();
    void addRelay();
    void addCommon(CLI::App& command);
    PipeKind kind() const;
    std::vector<PeerAddress> addresses(PipeKind kind) const;

    CLI::App* pipe_;
    CLI::App* send_ = nullptr;
    CLI::App* receive_ = nullptr;
    CLI::App* relay_ = nullptr;
    PeerOptions to_, from_;                // for send and recv
    PeerOptions relayedFrom_, relayedTo_;  // for relay
    TransferCommandLine transfer_;
    std::string wait_, timeout_ = "10", numa_ = NumaChoice{}.text;
    TrustOptions trust_;
    VerbosityOptions verbosity_;
    PipeOptions options_;
};

}  // namespace verbcast

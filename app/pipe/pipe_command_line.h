// The command line of `verbcast pipe`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/pipe/pipe_options.h"
#include "app/trust_options.h"

namespace verbcast {

/// --block, --depth and --checksum of every command that has a pipe.
class TransferCommandLine {
  public:
    /// Lives until finish().
    void add(CLI::App& command);
    /// Throws Error{Usage} for what no pipe can have.
    void finish(PipeSettings& settings) const;

  private:
    std::vector<const CLI::App*> commands_;
    std::string block_ = "1M", checksum_;
    std::uint32_t depth_ = PipeSettings{}.depth;
};

/// Adds `pipe` and its subcommands to a program's options. Lives until finish().
class PipeCommandLine {
  public:
    explicit PipeCommandLine(CLI::App& app);
    bool parsed() const { return pipe_->parsed(); }
    /// Throws Error{Usage} for what does not fit together.
    PipeOptions finish() const;

  private:
    void addSend();
    void addReceive();
    void addRelay();
    void addCommon(CLI::App& command);
    PipeKind kind() const;
    std::vector<PipeAddress> addresses(PipeKind kind) const;

    CLI::App* pipe_;
    CLI::App* send_ = nullptr;
    CLI::App* receive_ = nullptr;
    CLI::App* relay_ = nullptr;
    std::vector<std::string> urls_;
    TransferCommandLine transfer_;
    std::string wait_, timeout_ = "10";
    TrustOptions trust_;
    bool listen_ = false, connect_ = false;
    PipeOptions options_;
};

}  // namespace verbcast

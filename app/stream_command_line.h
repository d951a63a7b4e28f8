// What the command lines of all commands that send or view streams have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/stream_options.h"
#include "app/trust_options.h"
#include "app/watch_options.h"

namespace verbcast {

/// Where the peer is, when to end, what to write down.
class StreamCommandLine {
  public:
    bool parsed() const { return command_->parsed(); }

  protected:
    StreamCommandLine(CLI::App& app, const std::string& name, const std::string& description);
    StreamCommandLine(const StreamCommandLine&) = delete;
    StreamCommandLine& operator=(const StreamCommandLine&) = delete;

    CLI::App& command() { return *command_; }
    /// The option or argument `name` is the peer's address.
    void addPeer(const std::string& name, const std::string& help);
    void addListen(const std::string& help);
    /// Of commands that receive.
    void addMaxMemory();
    void addRest(StreamOptions& options);
    /// Throws Error{Usage} for what does not fit together.
    void finish(StreamOptions& options, bool listenByDefault) const;

  private:
    CLI::App* command_;
    TrustOptions trust_;
    std::string peer_, listen_, seconds_, frames_, maxMemory_;
    bool quiet_ = false, verbose_ = false;
};

/// --max-viewers.
void addMaxViewers(CLI::App& command, std::uint32_t& viewers);

/// Besides, of commands that send: pace, what becomes of frames for which a viewer is too slow, and who
/// watches.
class SendingCommandLine : public StreamCommandLine {
  protected:
    SendingCommandLine(CLI::App& app, const std::string& name, const std::string& description)
        : StreamCommandLine(app, name, description) {}

    /// --to, --listen and --max-viewers.
    void addViewers(SendingOptions& options);
    void addFps(const std::string& help, const std::string& values, const std::string& defaultValue);
    void addPolicy(const std::string& help);
    void addWatch() { watch_.addTo(command()); }
    const std::string& fps() const { return fps_; }
    /// Throws Error{Usage} for what does not fit together.
    void finish(SendingOptions& options) const;

  private:
    std::string fps_ = "max", policy_;
    WatchOptions watch_;
};

}  // namespace verbcast

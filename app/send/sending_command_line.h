// Command line options common to all commands that send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/cli11.h"
#include "app/cli/stream_command_line.h"
#include "app/cli/watch_options.h"
#include "app/send/sending_options.h"

namespace verbcast {

/// Adds pacing, the policy for slow viewers, and who watches.
class SendingCommandLine : public StreamCommandLine {
  protected:
    SendingCommandLine(CLI::App& app, const std::string& name, const std::string& description)
        : StreamCommandLine(app, name, description) {}

    /// Adds --to, --listen and --max-viewers.
    void addViewers(SendingOptions& options);
    void addFps(const std::string& help, const std::string& values, const std::string& defaultValue);
    void addPolicy(const std::string& help);
    void addChanges();
    /// --memory: one of these, the first by default.
    void addMemory(const std::vector<std::string>& choices, const std::string& help);
    void addWatch() { watch_.addTo(command()); }
    const std::string& fps() const { return fps_; }
    const std::string& memory() const { return memory_; }
    /// Throws Error{Usage} for options that contradict each other.
    void finish(SendingOptions& options, bool listensElsewhere = false, bool connectsElsewhere = false) const;

  private:
    void finishMulticast(SendingOptions& options) const;
    void finishMemory(SendingOptions& options) const;

    std::string multicast_, multicastRate_;
    int ttl_ = 1;
    std::string fps_ = "max", policy_, sync_, changes_ = "auto", memory_;
    WatchOptions watch_;
};

}  // namespace verbcast

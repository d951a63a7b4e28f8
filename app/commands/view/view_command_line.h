// The command line of `verbcast view`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_command_line.h"
#include "app/view/view_options.h"

namespace verbcast {

/// Adds `view` to the commands. Must live until finish().
class ViewCommandLine final : public StreamCommandLine {
  public:
    explicit ViewCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    ViewOptions finish() const;

  private:
    void addWindow();
    void addSound();
    void addSeveral();
    void addDisplay();
    void addRecording();
    void addMemory();
    void finishStereo(ViewOptions& options) const;
    void finishStreams(ViewOptions& options) const;
    void finishAlignment(ViewOptions& options) const;
    void finishTile(ViewOptions& options) const;
    std::vector<StreamPeer> sourcesOf(const Wall& wall, const std::vector<StreamPeer>& given) const;
    void finishOutput(ViewOptions& options) const;
    void finishSync(ViewOptions& options) const;
    void finishMemory(ViewOptions& options) const;
    void finishDrm(ViewOptions& options) const;

    std::optional<std::uint64_t> streams_;
    std::optional<const Layout*> layout_;
    std::optional<Container> container_;
    std::optional<bool> frameLock_;
    std::string align_, delay_, wall_, tile_, connectors_, mode_;
    bool force_ = false, stereo_ = false;
    ViewOptions options_;
};

}  // namespace verbcast

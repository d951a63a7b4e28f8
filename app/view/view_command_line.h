// The command line of `verbcast view`.
#pragma once

#include <string>

#include "app/cli/cli11.h"
#include "app/cli/stream_command_line.h"
#include "app/view/view_options.h"

namespace verbcast {

/// Adds `view` to a program's options. Must live until finish().
class ViewCommandLine final : public StreamCommandLine {
  public:
    explicit ViewCommandLine(CLI::App& app);
    /// Throws Error{Usage} for options that contradict each other.
    ViewOptions finish() const;

  private:
    void finishStereo(ViewOptions& options) const;
    void finishStreams(ViewOptions& options) const;
    void finishAlignment(ViewOptions& options) const;
    void finishTile(ViewOptions& options) const;
    std::vector<StreamPeer> sourcesOf(const Wall& wall, const std::vector<StreamPeer>& given) const;
    void finishOutput(ViewOptions& options) const;
    void finishSync(ViewOptions& options) const;
    void finishMemory(ViewOptions& options) const;
    void finishDrm(ViewOptions& options) const;

    std::string container_, streams_, layout_, panes_, align_, delay_, wall_, tile_, connectors_, mode_;
    std::string memory_ = "auto";
    CLI::Option* drm_ = nullptr;
    bool sync_ = false, noSync_ = false, force_ = false, stereo_ = false;
    ViewOptions options_;
};

}  // namespace verbcast

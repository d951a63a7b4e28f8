// The command line of `verbcast render`.
#pragma once

#include <string>

#include "app/commands/render/render_options.h"
#include "app/commands/send/sending_command_line.h"

namespace verbcast {

/// Adds `render` to the commands. Must live until finish().
class RenderCommandLine final : public SendingCommandLine {
  public:
    explicit RenderCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    RenderOptions finish() const;

  private:
    void addPictures();
    void finishSource(RenderOptions& options) const;

    std::string wall_, source_;
    RenderOptions options_;
};

}  // namespace verbcast

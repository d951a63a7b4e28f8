// The command line of `verbcast render`.
#pragma once

#include <string>

#include "app/cli/cli11.h"
#include "app/render/render_options.h"
#include "app/send/sending_command_line.h"

namespace verbcast {

/// Adds `render` to a program's options. Must live until finish().
class RenderCommandLine final : public SendingCommandLine {
  public:
    explicit RenderCommandLine(CLI::App& app);
    /// Throws Error{Usage} for options that contradict each other.
    RenderOptions finish() const;

  private:
    void finishSource(RenderOptions& options) const;

    std::string size_, part_, wall_, source_;
    RenderOptions options_;
};

}  // namespace verbcast

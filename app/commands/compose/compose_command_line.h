// The command line of `verbcast compose`.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/commands/compose/compose_options.h"
#include "app/commands/compose/mosaic/mosaic_options.h"
#include "app/commands/send/sending_command_line.h"

namespace verbcast {

/// Adds `compose` to the commands. Must live until finish().
class ComposeCommandLine final : public SendingCommandLine {
  public:
    explicit ComposeCommandLine(Command& verbcast);
    /// Throws Error{Usage} for options that contradict each other.
    std::variant<ComposeOptions, MosaicOptions> finish() const;

  private:
    void addMerging();
    void addMosaic();
    ComposeOptions finishMerging() const;
    MosaicOptions finishMosaic() const;

    std::vector<std::string> inputs_;
    ComposeOptions options_;  // those of all that send, too
    MosaicOptions mosaic_;    // its own only
    std::optional<const Layout*> layout_;
    std::optional<std::uint64_t> focus_;
    std::string align_, delay_, names_, background_, audioFrom_;
};

}  // namespace verbcast

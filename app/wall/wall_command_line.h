// The command line of `verbcast wall`.
#pragma once

#include "app/cli/cli11.h"
#include "app/wall/wall_options.h"

namespace verbcast {

/// Adds `wall` to a program's options. Must live until finish().
class WallCommandLine {
  public:
    explicit WallCommandLine(CLI::App& app);
    WallCommandLine(const WallCommandLine&) = delete;
    WallCommandLine& operator=(const WallCommandLine&) = delete;

    bool parsed() const;
    /// Throws Error{Usage}.
    WallOptions finish() const;

  private:
    NewWallOptions finishNew() const;

    CLI::App *wall_, *new_, *check_, *show_;
    std::string grid_, size_, bezel_, pitch_, overlap_, rotate_, sources_, conductor_, fit_, picture_, file_,
        output_;
    bool force_ = false;
};

}  // namespace verbcast

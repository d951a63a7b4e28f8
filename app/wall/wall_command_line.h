// The command line of `verbcast wall`.
#pragma once

#include <optional>
#include <utility>

#include "app/cli/options/command.h"
#include "app/wall/wall_options.h"

namespace verbcast {

/// What bezels hide between two displays: pixels or millimetres.
struct BezelWidth {
    double amount = 0;
    bool millimetres = false;
};

struct WallGrid {
    std::uint32_t columns = 0, rows = 0;
};

/// Adds `wall` to the commands. Must live until finish().
class WallCommandLine {
  public:
    explicit WallCommandLine(Command& verbcast);
    WallCommandLine(const WallCommandLine&) = delete;
    WallCommandLine& operator=(const WallCommandLine&) = delete;

    bool parsed() const { return wall_.chosen; }
    /// Throws Error{Usage}.
    WallOptions finish() const;

  private:
    void addNew();
    void addDisplays(OptionList& list);
    NewWallOptions finishNew() const;

    Command &wall_, &new_, &check_, &show_;
    NewWallOptions newOptions_;
    CheckWallOptions checkOptions_;
    ShowWallOptions showOptions_;
    std::optional<WallGrid> grid_, sources_;
    PictureSize size_{newOptions_.screenWidth, newOptions_.screenHeight};
    // Between columns, and between rows.
    std::pair<BezelWidth, BezelWidth> bezel_;
    std::pair<std::uint32_t, std::uint32_t> overlap_;
    std::optional<double> pitch_;
};

}  // namespace verbcast

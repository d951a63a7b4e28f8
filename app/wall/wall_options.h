// Options of `verbcast wall`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/cli/options/values.h"
#include "app/wall/wall.h"

namespace verbcast {

/// Options of `verbcast wall new COLUMNSxROWS`.
struct NewWallOptions {
    std::uint32_t columns = 1, rows = 1;
    std::uint32_t screenWidth = 1920, screenHeight = 1080;  ///< of each display, before its rotation
    std::uint16_t rotation = 0;
    std::uint32_t gapX = 0, gapY = 0;                 ///< pixels hidden by bezels between two displays
    std::uint32_t overlapX = 0, overlapY = 0;         ///< pixels shown by both of two neighbours
    std::uint32_t sourceColumns = 0, sourceRows = 0;  ///< 0: one sender sends the whole picture
    CanvasFit fit = CanvasFit::Fit;
    std::string conductor{};  ///< one of the sources; empty: none
    std::string output{};     ///< empty: standard output
    bool force = false;       ///< overwrite an existing file
};

/// Options of `verbcast wall check FILE`.
struct CheckWallOptions {
    std::string file;
    std::optional<PictureSize> picture{};  ///< say how such pictures are shown
};

/// Options of `verbcast wall show FILE`.
struct ShowWallOptions {
    std::string file;
    std::string output{};  ///< empty: standard output
};

using WallOptions = std::variant<NewWallOptions, CheckWallOptions, ShowWallOptions>;

}  // namespace verbcast

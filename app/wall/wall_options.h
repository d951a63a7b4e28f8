// What `verbcast wall` was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "app/wall/wall.h"

namespace verbcast {

/// `verbcast wall new COLUMNSxROWS`
struct NewWallOptions {
    std::uint32_t columns = 1, rows = 1;
    std::uint32_t screenWidth = 1920, screenHeight = 1080;  ///< of each display, before its rotation
    std::uint16_t rotation = 0;
    std::uint32_t gapX = 0, gapY = 0;                 ///< pixels that bezels hide between two displays
    std::uint32_t overlapX = 0, overlapY = 0;         ///< pixels that two show
    std::uint32_t sourceColumns = 0, sourceRows = 0;  ///< 0: one sender has the whole picture
    std::string output{};                             ///< standard output when empty
    bool force = false;                               ///< replaces a file
};

/// `verbcast wall check FILE`
struct CheckWallOptions {
    std::string file;
};

/// `verbcast wall show FILE`
struct ShowWallOptions {
    std::string file;
    std::string output{};  ///< standard output when empty
};

using WallOptions = std::variant<NewWallOptions, CheckWallOptions, ShowWallOptions>;

}  // namespace verbcast

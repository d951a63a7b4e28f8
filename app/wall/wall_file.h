// Reads and writes wall files; docs/walls.md describes the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/wall/wall.h"

namespace verbcast {

/// A wall as far as its text could be read, and one sentence for each thing that is wrong.
struct ParsedWall {
    Wall wall;
    std::vector<std::string> findings;
};

/// The text may be untrusted.
ParsedWall parseWall(std::string_view text);

/// Throws Error{Input} if the file cannot be read or is larger than a wall's can be.
std::string readWallText(const std::string& path);

/// Returns a wall without findings. Throws as readWallText(), and Error{Input} naming the first finding.
Wall readWall(const std::string& path);

/// The text that parseWall() reads as this wall. Omits defaults.
std::string wallText(const Wall& wall);

}  // namespace verbcast

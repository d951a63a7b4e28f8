// The file of a wall: docs/walls.md describes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/wall/wall.h"

namespace verbcast {

/// What a text says of a wall, as far as it can be read, and what is wrong with it: a sentence for each.
struct ParsedWall {
    Wall wall;
    std::vector<std::string> findings;
};

/// The text may come from anywhere.
ParsedWall parseWall(std::string_view text);

/// Throws Error{Input} when the file cannot be read, or is larger than a wall's can be.
std::string readWallText(const std::string& path);

/// A wall without findings. Throws as readWallText(), and Error{Input} that names the first finding.
Wall readWall(const std::string& path);

/// What parseWall() reads as this wall. What is as it would be anyway is left out.
std::string wallText(const Wall& wall);

}  // namespace verbcast

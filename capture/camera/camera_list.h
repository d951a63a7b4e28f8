// Finds the machine's cameras.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// All nodes /dev/videoN sorted by number, cameras or not.
std::vector<std::string> videoNodes();

/// The first node that is a camera. Throws Error{Device} if there is none, or none can be opened.
std::string firstCamera();

}  // namespace verbcast

// Which cameras the machine has.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// Nodes /dev/videoN by number, whatever they are.
std::vector<std::string> videoNodes();

/// The first node that is a camera. Throws Error{Device} when there is none, or none that may be opened.
std::string firstCamera();

}  // namespace verbcast

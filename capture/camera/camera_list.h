// Finds the machine's cameras.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// All nodes /dev/videoN sorted by number, cameras or not.
std::vector<std::string> videoNodes();

/// A line for each camera, "/dev/video0  vivid  (driver vivid, platform:vivid-000)", followed by an indented
/// line for each pixel format. May be empty.
std::vector<std::string> cameraLines();

/// The first node that is a camera. Throws Error{Device} if there is none, or none can be opened.
std::string firstCamera();

}  // namespace verbcast

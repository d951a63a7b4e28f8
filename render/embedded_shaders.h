// The files of shaders/ by file name, as embedded by the build.
#pragma once

#include <map>
#include <string_view>

namespace verbcast {

const std::map<std::string_view, std::string_view>& embeddedShaders();

}  // namespace verbcast

#include "core/base/text/config_file.h"

#include <fmt/format.h>

#include <cstdlib>

namespace verbcast {

std::optional<std::string> configFile(std::string_view name) {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
        return fmt::format("{}/verbcast/{}", config, name);
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fmt::format("{}/.config/verbcast/{}", home, name);
    }
    return std::nullopt;
}

}  // namespace verbcast

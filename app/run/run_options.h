// What `verbcast run` was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/send/send_options.h"

namespace verbcast {

struct RunOptions : SendingOptions {
    std::optional<std::uint32_t> width, height;  ///< pictures are scaled to this; else as the window is
    std::vector<std::string> program;            ///< its name or path, then its arguments
};

}  // namespace verbcast

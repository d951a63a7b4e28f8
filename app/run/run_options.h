// Options of `verbcast run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/send/sending_options.h"

namespace verbcast {

struct RunOptions : SendingOptions {
    std::optional<std::uint32_t> width, height;  ///< pictures are scaled to this; nullopt: the window's size
    std::vector<std::string> program;            ///< its name or path, then its arguments
};

}  // namespace verbcast

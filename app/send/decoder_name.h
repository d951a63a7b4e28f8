// Parses --decoder.
#pragma once

#include <string_view>

#include "capture/decoders.h"

namespace verbcast {

/// Throws Error{Usage} if there is no decoder of that name.
Decoder parseDecoder(std::string_view name);

}  // namespace verbcast

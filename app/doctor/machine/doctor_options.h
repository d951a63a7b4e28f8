// What `verbcast doctor` was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/session/trust/trust.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

struct DoctorOptions {
    std::optional<Url> peer;    ///< is it reachable?
    std::vector<Url> spares{};  ///< and by these, rails of one stream?
    Trust trust{};              ///< of that peer
    std::uint32_t width = 3840, height = 2160;
    PixelFormat pixelFormat = PixelFormat::rgba;
    Rational fps{60, 1};
    bool json = false;
    bool strict = false;  ///< warnings fail
};

}  // namespace verbcast

// verbcast doctor: what stands between this machine and a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/session/trust.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

struct DoctorOptions {
    std::optional<Url> peer;  ///< is it reachable?
    Trust trust{};            ///< of that peer
    std::uint32_t width = 3840, height = 2160;
    PixelFormat pixelFormat = PixelFormat::rgba;
    Rational fps{60, 1};
    bool json = false;
};

/// Prints one line for each check and a verdict. Returns 0 when all is well, 1 with warnings, 2 when this
/// machine cannot stream.
int runDoctor(const DoctorOptions& options);

}  // namespace verbcast

// Options of `verbcast doctor`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/values.h"
#include "core/session/trust/trust.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

struct DoctorOptions {
    std::optional<Url> peer;    ///< to check whether it is reachable
    std::vector<Url> spares{};  ///< its further addresses, as rails of one stream
    Trust trust{};              ///< for that peer
    PictureSize size{3840, 2160};
    PixelFormat pixelFormat = PixelFormat::rgba;
    Rational fps{60, 1};
    std::string json{};   ///< file for the report; "-": standard output, instead of text; empty: none
    bool strict = false;  ///< warnings count as failures
};

}  // namespace verbcast

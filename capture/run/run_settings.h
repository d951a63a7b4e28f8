// What `verbcast run` tells the library that it loads into the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/screen/master_devices.h"
#include "core/stream/broadcast.h"
#include "core/video/video_format.h"

namespace verbcast {

/// The environment variable that carries the settings as JSON.
inline constexpr const char* kRunSettingsVariable = "VERBCAST_RUN";

struct RunSettings {
    SenderOptions sender;
    Rational fps{60, 1};                         ///< pictures taken at most per second
    std::optional<std::uint32_t> width, height;  ///< pictures are scaled to this; else as the window is
    MasterPair devices;                          ///< with sender.allowInput: viewers' pointer and keyboard
    bool quiet = false;
    std::string runner;    ///< RunLine::name()
    bool figures = false;  ///< the runner has a descriptor for what StatsStream writes
};

std::string toJson(const RunSettings& settings);
/// Throws Error{Usage} for what toJson() has not written.
RunSettings runSettingsFromJson(const std::string& json);

}  // namespace verbcast

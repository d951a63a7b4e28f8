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

/// What the library writes, a byte each, to RunSettings::statusDescriptor.
enum class RunStatus : char {
    Loaded = 'l',   ///< into a program of the process tree
    Swapped = 's',  ///< the program has shown an OpenGL picture
};

struct RunSettings {
    SenderOptions sender;
    Rational fps{60, 1};                         ///< pictures taken at most per second
    std::optional<std::uint32_t> width, height;  ///< pictures are scaled to this; else as the window is
    MasterPair devices;                          ///< with sender.allowInput: viewers' pointer and keyboard
    bool quiet = false;
    int statusDescriptor = -1;   ///< inherited; -1: none
    int figuresDescriptor = -1;  ///< likewise: what StatsStream writes
};

std::string toJson(const RunSettings& settings);
/// Throws Error{Usage} for what toJson() has not written.
RunSettings runSettingsFromJson(const std::string& json);

}  // namespace verbcast

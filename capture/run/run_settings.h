// What `verbcast run` tells the library that it loads into the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "capture/screen/master_devices.h"
#include "core/stream/broadcast.h"
#include "core/video/change_finder.h"
#include "core/video/video_format.h"

namespace verbcast {

/// The environment variable that carries the settings as JSON.
inline constexpr const char* kRunSettingsVariable = "VERBCAST_RUN";

/// How the session ends, besides with the program; SenderOptions::reconnect says whether with its viewer.
struct RunLimits {
    std::optional<std::uint64_t> frames;               ///< so many were sent
    std::optional<std::chrono::nanoseconds> duration;  ///< since the first frame
    std::optional<std::chrono::nanoseconds> patience;  ///< no viewer has come by then
};

struct RunSettings {
    SenderOptions sender;
    RunLimits limits;
    Rational fps{60, 1};                         ///< pictures taken at most per second
    std::optional<std::uint32_t> width, height;  ///< pictures are scaled to this; else as the window is
    ChangesFrom changes = ChangesFrom::Auto;     ///< who says what changed in a picture
    MasterPair devices;                          ///< with sender.allowInput: viewers' pointer and keyboard
    std::string frameMd5;                        ///< path of FrameMd5Writer's file; empty: none
    bool quiet = false, verbose = false;
    std::string runner;    ///< RunLine::name()
    bool figures = false;  ///< the runner has a descriptor for what StatsStream writes
    bool reports = false;  ///< the runner wants to hear the statistics
};

std::string toJson(const RunSettings& settings);
/// Throws Error{Usage} for what toJson() has not written.
RunSettings runSettingsFromJson(const std::string& json);

}  // namespace verbcast

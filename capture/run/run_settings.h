// The settings that `verbcast run` passes to the library in the program.
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

/// Limits that end the session before the program; SenderOptions::reconnect decides whether its viewer does.
struct RunLimits {
    std::optional<std::uint64_t> frames;               ///< after this many were sent
    std::optional<std::chrono::nanoseconds> duration;  ///< this long after the first frame
    std::optional<std::chrono::nanoseconds> patience;  ///< if no viewer has come by then
};

struct RunSettings {
    SenderOptions sender;
    RunLimits limits;
    Rational fps{60, 1};                         ///< most pictures taken per second
    std::optional<std::uint32_t> width, height;  ///< scales pictures to this; unset: the window's size
    ChangesFrom changes = ChangesFrom::Auto;     ///< where a picture's changes come from
    bool inGpuMemory = false;                    ///< keeps pictures in the memory of the GPU that draws
    std::optional<int> numaNode;                 ///< for the ring and our threads
    MasterPair devices;                          ///< with sender.allowInput: viewers' pointer and keyboard
    std::string frameMd5;                        ///< path of FrameMd5Writer's file; empty: none
    bool quiet = false, verbose = false;
    std::string runner;    ///< RunLine::name()
    bool figures = false;  ///< the runner has a descriptor for StatsStream's output
    bool reports = false;  ///< the runner wants statistics
};

std::string toJson(const RunSettings& settings);
/// Throws Error{Usage} for anything that toJson() did not write.
RunSettings runSettingsFromJson(const std::string& json);

}  // namespace verbcast

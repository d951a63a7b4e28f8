// The settings that `verbcast run` passes to the library in the program.
#pragma once

#include <optional>
#include <string>

#include "app/preload/run_options.h"
#include "capture/screen/master_devices.h"

namespace verbcast {

/// The environment variable that carries the settings as JSON.
inline constexpr const char* kRunSettingsVariable = "VERBCAST_RUN";

/// Whoever has the environment has the key, too: only the owner, as with VERBCAST_KEY.
struct RunSettings {
    /// As the command line has them, with SenderOptions::policy settled; SenderOptions::hasSound: the runner
    /// has a line for sound. Of StreamOptions, what the runner
    /// does itself is left out.
    RunOptions options{};
    std::optional<int> numaNode{};  ///< for the ring and our threads
    MasterPair devices{};           ///< with allowInput: viewers' pointer and keyboard
    std::string runner{};           ///< RunLine::name()
    bool stats = false;             ///< the runner has a descriptor for StatsStream's output
    bool reports = false;           ///< the runner wants statistics
};

std::string toJson(const RunSettings& settings);
/// Throws Error{Usage} for anything that toJson() did not write.
RunSettings runSettingsFromJson(const std::string& json);

}  // namespace verbcast

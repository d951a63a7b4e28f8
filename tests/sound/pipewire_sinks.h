// A PipeWire of the test's own with sinks that play nowhere.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace verbcast::testing {

/// For this process and those that it starts: PipeWire lives in that folder, reads `settings` (of its
/// context), has default devices, and knows no card of this machine's.
inline void preparePipeWire(const std::string& folder, const char* settings) {
    for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"}) {
        ::setenv(variable, folder.c_str(), 1);
    }
    ::setenv("ALSA_CONFIG_PATH", "/dev/null", 1);
    std::filesystem::create_directories(folder + "/wireplumber/policy.lua.d");
    // The policy alone knows no default devices.
    std::ofstream(folder + "/wireplumber/policy.lua.d/95-defaults.lua")
        << "load_module(\"metadata\")\n"
           "load_module(\"default-nodes\", { [\"use-persistent-storage\"] = false })\n";
    std::filesystem::create_directories(folder + "/pipewire/pipewire.conf.d");
    std::ofstream(folder + "/pipewire/pipewire.conf.d/sinks.conf") << settings;
}

}  // namespace verbcast::testing

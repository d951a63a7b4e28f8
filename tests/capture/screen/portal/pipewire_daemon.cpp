#include "tests/capture/screen/portal/pipewire_daemon.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/capture/screen/portal/connect_to.h"
#include "tests/support/installed_programs.h"

namespace verbcast::testing {
namespace {

// The policy alone knows no default devices.
constexpr const char* kDefaults = R"(
load_module("metadata")
load_module("default-nodes", { ["use-persistent-storage"] = false })
)";

}  // namespace

PipeWireDaemon::PipeWireDaemon(const std::string& runtimeFolder) : socket_(runtimeFolder + "/pipewire-0") {
    daemon_ = std::make_unique<ChildProcess>(std::vector<std::string>{"pipewire"});
    connectTo(socket_);
    // Only the policy that links streams.
    sessionManager_ =
        std::make_unique<ChildProcess>(std::vector<std::string>{"wireplumber", "-c", "policy.conf"});
}

PipeWireDaemon::~PipeWireDaemon() {
    sessionManager_.reset();
    daemon_.reset();
}

void PipeWireDaemon::settle(const TemporaryFolder& folder, const std::string& objects) {
    for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"}) {
        ::setenv(variable, folder.path().c_str(), 1);
    }
    // No card of this machine's.
    ::setenv("ALSA_CONFIG_PATH", "/dev/null", 1);
    std::filesystem::create_directories(folder.file("wireplumber/policy.lua.d"));
    std::ofstream(folder.file("wireplumber/policy.lua.d/95-defaults.lua")) << kDefaults;
    std::filesystem::create_directories(folder.file("pipewire/pipewire.conf.d"));
    std::ofstream(folder.file("pipewire/pipewire.conf.d/objects.conf"))
        << "context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }\n"
        << "context.objects = [" << objects << "]\n";
}

std::string PipeWireDaemon::missingPrograms() {
    constexpr const char* kPrograms[] = {"pipewire", "wireplumber"};
    return missingOf(kPrograms);
}

UniqueFd PipeWireDaemon::connect() const {
    return connectTo(socket_);
}

std::string PipeWireDaemon::said() const {
    return daemon_->errors() + sessionManager_->errors();
}

}  // namespace verbcast::testing

#include "tests/capture/screen/portal/pipewire_daemon.h"

#include <vector>

#include "tests/capture/screen/portal/connect_to.h"
#include "tests/support/installed_programs.h"

namespace verbcast::testing {

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

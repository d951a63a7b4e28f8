#include "tests/capture/screen/portal/pipewire_daemon.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/capture/screen/portal/await_file.h"
#include "tests/support/installed_programs.h"

namespace verbcast::testing {

PipeWireDaemon::PipeWireDaemon(const std::string& runtimeFolder) : socket_(runtimeFolder + "/pipewire-0") {
    daemon_ = std::make_unique<ChildProcess>(std::vector<std::string>{"pipewire"});
    awaitFile(socket_);
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
    UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_.size() >= sizeof address.sun_path) {
        throw std::runtime_error("too long for a socket: " + socket_);
    }
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error("PipeWire does not listen on " + socket_ + ": " + std::strerror(errno));
    }
    return connection;
}

std::string PipeWireDaemon::said() const {
    return daemon_->errors() + sessionManager_->errors();
}

}  // namespace verbcast::testing

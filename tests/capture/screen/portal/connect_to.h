// Waiting for programs that listen at a path.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/base/os/device_watch.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

/// A socket appears before its program listens, and nothing tells of the moment between the two.
inline UniqueFd connectTo(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        throw std::runtime_error("too long for a socket: " + path);
    }
    std::memcpy(address.sun_path, path.data(), path.size());

    DeviceWatch watch(path);
    const Event never;
    while (!std::filesystem::exists(path)) {
        if (watch.wait(kPatience, never) != Status::Ok) {
            throw std::runtime_error("nobody makes " + path);
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    while (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        const bool isStarting = errno == ECONNREFUSED || errno == ENOENT;  // or removes what another one left
        if (!isStarting || std::chrono::steady_clock::now() > deadline) {
            throw std::runtime_error("nobody listens on " + path + ": " + std::strerror(errno));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return connection;
}

}  // namespace verbcast::testing

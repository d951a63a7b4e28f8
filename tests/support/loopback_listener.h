// A listener at a free port of 127.0.0.1, for tests that stand for another program. localAddressOf() tells
// the port.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "core/base/os/unique_fd.h"

namespace verbcast::testing {

/// `flags`: of the socket's type, SOCK_NONBLOCK for one. Throws std::system_error.
inline UniqueFd loopbackListener(int flags = 0) {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 ||
        ::listen(socket.get(), 16) != 0) {
        throw std::system_error(errno, std::generic_category(), "no listener at 127.0.0.1");
    }
    return socket;
}

}  // namespace verbcast::testing

// Cuts connections of this process from outside, as a network failure does.
#pragma once

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/support/transport_under_test.h"

namespace verbcast::testing {

/// Descriptors of this process that are connected sockets of the given transport ("shm", "tcp").
inline std::set<int> connectedSockets(const std::string& transport) {
    std::set<int> sockets;
    DIR* folder = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(folder)) {
        const int descriptor = std::atoi(entry->d_name);
        int domain = 0, type = 0, listens = 0;
        socklen_t length = sizeof domain;
        sockaddr_storage peer{};
        socklen_t peerLength = sizeof peer;
        const bool isSocket = ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
                              ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
                              ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0;
        const bool wanted = transport == "shm" ? domain == AF_UNIX && type == SOCK_SEQPACKET
                                               : domain == AF_INET && type == SOCK_STREAM;
        if (isSocket && wanted && listens == 0 &&
            ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peerLength) == 0) {
            sockets.insert(descriptor);
        }
    }
    ::closedir(folder);
    return sockets;
}

/// Transports whose connections are sockets of this process and can be cut from outside.
inline std::vector<TransportUnderTest> transportsOfSockets() {
    std::vector<TransportUnderTest> transports = transportsUnderTest();
    std::erase_if(transports, [](const auto& each) { return !(each == "shm") && !(each == "tcp"); });
    return transports;
}

enum class Cut {
    Orderly,  ///< data already sent still arrives
    Abrupt,   ///< data in flight is lost (tcp: a reset)
};

inline void cut(const std::set<int>& sockets, Cut how) {
    for (const int socket : sockets) {
        if (how == Cut::Abrupt) {
            sockaddr nobody{};
            nobody.sa_family = AF_UNSPEC;
            // A raw system call: the thread sanitizer would take connect() for the creation of a descriptor.
            if (::syscall(SYS_connect, socket, &nobody, sizeof nobody) == 0) {
                continue;
            }
        }
        ::shutdown(socket, SHUT_RDWR);
    }
}

/// Elements of `after` that are not in `before`.
inline std::set<int> newOnes(const std::set<int>& after, const std::set<int>& before) {
    std::set<int> fresh;
    for (const int socket : after) {
        if (!before.contains(socket)) {
            fresh.insert(socket);
        }
    }
    return fresh;
}

}  // namespace verbcast::testing

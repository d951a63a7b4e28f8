#pragma once
// Addresses that both ends know before either of them listens.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/base/os/unique_fd.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {

/// An address to give to a viewer or sender before anybody listens there. The port is bound here but not
/// listened on: while this object lives, the kernel does not assign it to anybody, but those who ask for it
/// by number with SO_REUSEADDR, as verbcast does, get it.
class ReservedAddress {
  public:
    /// `transport` names a variant in transportsUnderTest().
    explicit ReservedAddress(const std::string& transport) : url_(listenAddressFor(transport)) {
        if (transport == "shm") {
            return;
        }
        socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
            throw std::runtime_error("no port of 127.0.0.1 could be reserved");
        }
        const std::size_t port = url_.rfind(":0");
        url_.replace(port, 2, ":" + std::to_string(ntohs(address.sin_port)));
    }
    const std::string& url() const { return url_; }

  private:
    UniqueFd socket_;
    std::string url_;
};

}  // namespace verbcast::testing

#include "core/transport/tcp/tcp_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "core/base/error.h"

namespace verbcast::tcp {

TcpConnection::TcpConnection(UniqueFd control, UniqueFd data)
    : control_(std::move(control)), data_(std::move(data)) {
    ::fcntl(data_.get(), F_SETFL, ::fcntl(data_.get(), F_GETFL) & ~O_NONBLOCK);
    const timeval longest{.tv_sec = 0, .tv_usec = 1000};  // rounded up to a tick of the kernel
    ::setsockopt(data_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    const int one = 1;
    for (const int socket : {control_.get(), data_.get()}) {
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
}

void TcpConnection::end(const std::string& reason) {
    if (closeReason_.empty()) {
        closeReason_ = reason;
        ::shutdown(data_.get(), SHUT_RDWR);
    }
}

void TcpConnection::hangUp(const std::string& reason) {
    end(reason);
    ::shutdown(control_.get(), SHUT_RDWR);
}

std::string receiveFailure(long got, int code) {
    if (got > 0 || (got < 0 && (code == EAGAIN || code == EINTR))) {
        return {};
    }
    return got == 0 ? "the peer closed the connection" : "receiving: " + errnoText(code);
}

}  // namespace verbcast::tcp

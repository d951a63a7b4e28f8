#include "core/transport/callers.h"

#include <sys/socket.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

// Lost callers accepted in a row per turn, at most, whatever the network does.
constexpr int kMaxLostPerTurn = 16;

}  // namespace

UniqueFd acceptSocket(int listening, const std::string& listener, SocketAddress* from) {
    SocketAddress address;
    for (int lost = 0; lost < kMaxLostPerTurn; ++lost) {
        address.length = sizeof address.storage;
        UniqueFd caller(::accept4(listening, reinterpret_cast<sockaddr*>(&address.storage), &address.length,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK));
        const int code = errno;
        if (caller) {
            if (from != nullptr) {
                *from = address;
            }
            return caller;
        }
        switch (code) {
            case EAGAIN:
                return {};
            case EMFILE:
            case ENFILE:
            case ENOMEM:
            case ENOBUFS:
                throwErrno(ErrorKind::Resource, "accept", listener, code, kRaiseFileLimit);
            case EBADF:
            case EINVAL:
            case ENOTSOCK:
                throwErrno(ErrorKind::Internal, "accept", listener, code);
            default:
                // accept() also reports errors that the caller's connection already had.
                tellOfPeer(LogCategory::Session, "lost", listener, "a caller at {} was lost: {}", listener,
                           errnoText(code));
        }
    }
    return {};
}

}  // namespace verbcast

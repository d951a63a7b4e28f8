#include "app/commands/doctor/machine/measurements.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {
namespace {

constexpr TimestampNs kDuration = 200'000'000;
// As large as a few frames: a buffer that fits a cache would look too fast.
constexpr std::size_t kCopyBytes = 48 << 20;
constexpr std::size_t kRingBytes = 32 << 20;
constexpr std::size_t kPieceBytes = 1 << 20;

struct SocketPair {
    UniqueFd sending, receiving;
    explicit operator bool() const { return sending && receiving; }
};

SocketPair connectToSelf() {
    const UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    SocketPair pair;
    if (!listening || ::bind(listening.get(), raw, length) != 0 || ::listen(listening.get(), 1) != 0 ||
        ::getsockname(listening.get(), raw, &length) != 0) {
        return pair;
    }
    // Limits every wait below, whatever a firewall does with the loopback interface.
    const timeval patience{0, 500'000};
    UniqueFd sending(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    for (const int socket : {sending.get(), listening.get()}) {
        ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    if (!sending || ::connect(sending.get(), raw, length) != 0) {
        return pair;
    }
    sockaddr_in caller{};
    sockaddr_in ours{};
    length = sizeof caller;
    pair.receiving.reset(
        ::accept4(listening.get(), reinterpret_cast<sockaddr*>(&caller), &length, SOCK_CLOEXEC));
    length = sizeof ours;
    ::getsockname(sending.get(), reinterpret_cast<sockaddr*>(&ours), &length);
    if (pair.receiving && caller.sin_port == ours.sin_port) {
        ::setsockopt(pair.receiving.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        pair.sending = std::move(sending);
    }
    return pair;
}

/// Receives into a ring until the sender hangs up. Returns the number of bytes.
std::size_t receiveAll(int socket, std::vector<char>& ring) {
    std::size_t total = 0;
    for (;;) {
        const ssize_t got =
            ::recv(socket, ring.data() + total / kPieceBytes * kPieceBytes % kRingBytes, kPieceBytes, 0);
        if (got <= 0) {
            return total;
        }
        total += static_cast<std::size_t>(got);
    }
}

double perSecond(std::size_t bytes, TimestampNs time) {
    return time > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(time) : 0;
}

}  // namespace

double measureCopyRate() {
    try {
        const std::vector<char> from(kCopyBytes, 1);
        std::vector<char> into(kCopyBytes, 2);
        std::size_t copied = 0;
        const TimestampNs start = nowNs();
        TimestampNs now = start;
        while (now - start < kDuration) {
            std::memcpy(into.data(), from.data(), kCopyBytes);
            // Otherwise the compiler could remove the copy.
            asm volatile("" : : "r"(into.data()) : "memory");
            copied += kCopyBytes;
            now = nowNs();
        }
        return perSecond(copied, now - start);
    } catch (const std::bad_alloc&) {
        return 0;
    }
}

double measureLoopbackRate() try {
    SocketPair pair = connectToSelf();
    if (!pair) {
        return 0;
    }
    const std::vector<char> ring(kRingBytes, 1);
    std::vector<char> receivingRing(kRingBytes);
    std::size_t received = 0;
    const TimestampNs start = nowNs();
    {
        const std::jthread receiver([&] { received = receiveAll(pair.receiving.get(), receivingRing); });
        std::size_t sent = 0;
        while (nowNs() - start < kDuration) {
            const ssize_t wrote =
                ::send(pair.sending.get(), ring.data() + sent / kPieceBytes * kPieceBytes % kRingBytes,
                       kPieceBytes, MSG_NOSIGNAL);
            if (wrote <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(wrote);
        }
        ::shutdown(pair.sending.get(), SHUT_WR);
    }
    return perSecond(received, nowNs() - start);
} catch (const std::bad_alloc&) {
    return 0;
}

}  // namespace verbcast

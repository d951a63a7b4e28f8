// Frames per second of a transport beside a plain loop that moves as many bytes: transport_bench [tcp|shm]
// [seconds]
//
// Both move 4K rgba frames between two processes of this host, out of a ring of eight slots into a ring of
// eight slots (so that neither is flattered by a cache); nobody looks at the pixels. The plain loop is what
// sockets alone can do: blocking send() of whole frames on one connection, recv(MSG_WAITALL) into the next
// slot. The two alternate, three times, because machines drift; the ratio of medians is the figure.
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/session/frame_receiver.h"
#include "core/session/frame_sender.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFrameBytes = 3840ULL * 2160 * 4;
constexpr std::uint32_t kSlots = 8;

std::byte* touchedRing() {
    void* ring =
        ::mmap(nullptr, kFrameBytes * kSlots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::fill_n(static_cast<std::byte*>(ring), kFrameBytes * kSlots, std::byte{1});
    return static_cast<std::byte*>(ring);
}

/// Gigabytes per second of send() and recv() alone.
double plainTcp(double seconds) {
    Url url;
    url.host = "127.0.0.1";
    url.port = 0;
    const UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any = resolve(url, false).front();
    if (::bind(listening.get(), any.get(), any.length) != 0 || ::listen(listening.get(), 1) != 0) {
        throwErrno(ErrorKind::Network, "listen", any.text(), errno);
    }
    const SocketAddress address = localAddressOf(listening.get());
    const pid_t child = ::fork();
    if (child == 0) {
        const UniqueFd out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::connect(out.get(), address.get(), address.length) != 0) {
            ::_exit(1);
        }
        const std::byte* ring = touchedRing();
        for (std::uint64_t frame = 0;; ++frame) {
            const std::byte* data = ring + frame % kSlots * kFrameBytes;
            for (std::uint64_t sent = 0; sent < kFrameBytes;) {
                const auto n = ::send(out.get(), data + sent, kFrameBytes - sent, MSG_NOSIGNAL);
                if (n <= 0) {
                    ::_exit(0);
                }
                sent += static_cast<std::uint64_t>(n);
            }
        }
    }
    const UniqueFd in(::accept(listening.get(), nullptr, nullptr));
    std::byte* ring = touchedRing();
    std::uint64_t frames = 0;
    const auto receiveOne = [&] {
        return ::recv(in.get(), ring + frames++ % kSlots * kFrameBytes, kFrameBytes, MSG_WAITALL) ==
               static_cast<ssize_t>(kFrameBytes);
    };
    for (int warmUp = 0; warmUp < 16 && receiveOne(); ++warmUp) {
    }
    frames = 0;
    const TimestampNs start = nowNs();
    while (static_cast<double>(nowNs() - start) * 1e-9 < seconds && receiveOne()) {
    }
    const double rate = static_cast<double>(frames * kFrameBytes) / static_cast<double>(nowNs() - start);
    ::shutdown(in.get(), SHUT_RDWR);
    ::waitpid(child, nullptr, 0);
    ::munmap(ring, kFrameBytes * kSlots);
    return rate;
}

int sendFrames(const Url& url) {
    SenderOptions options;
    options.url = url;
    options.listen = false;
    options.reconnect = false;
    options.policy = Policy::Lossless;
    options.slots = kSlots;
    FrameSender sender(options);
    const VideoFormat format = tightFormat(3840, 2160, PixelFormat::rgba);
    const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = kSlots});
    std::fill_n(pool->memory().data(), pool->memory().size(), std::byte{1});
    const Event never;
    for (std::int64_t pts = 0;; ++pts) {
        auto lease = pool->acquire(10s, &never);
        FrameInfo info;
        info.pts = pts;
        info.capturedAt = nowNs();
        if (!lease || sender.submit(std::move(*lease), format, info, never) != Status::Ok) {
            return 0;
        }
    }
}

/// Gigabytes per second of whole frames through sender, transport and receiver.
double session(const std::string& address, double seconds) {
    ReceiverOptions options;
    options.url = parseUrl(address);
    options.listen = true;
    options.slots = kSlots;
    options.reconnect = false;
    // Forked before any thread exists; the child retries until the receiver listens.
    Url target = options.url;
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(sendFrames(target));
    }
    FrameReceiver receiver(options);
    ReceivedFrame frame;
    std::uint64_t frames = 0;
    TimestampNs start = 0;
    for (int warmUp = 0; warmUp < 16 && receiver.receive(frame, 10s) == Status::Ok; ++warmUp) {
        start = nowNs();
    }
    while (static_cast<double>(nowNs() - start) * 1e-9 < seconds &&
           receiver.receive(frame, 10s) == Status::Ok) {
        ++frames;
    }
    const double rate = static_cast<double>(frames * kFrameBytes) / static_cast<double>(nowNs() - start);
    frame.lease.reset();
    receiver.cancel();
    ::waitpid(child, nullptr, 0);
    return rate;
}

double median(std::array<double, 3> values) {
    std::sort(values.begin(), values.end());
    return values[1];
}

int run(const std::string& transport, double seconds) {
    std::array<double, 3> ours{};
    std::array<double, 3> plain{};
    for (std::size_t round = 0; round < ours.size(); ++round) {
        const std::string address = transport == "tcp" ? fmt::format("tcp://127.0.0.1:{}", 17423 + round)
                                                       : fmt::format("shm://bench-{}-{}", ::getpid(), round);
        ours[round] = session(address, seconds);
        plain[round] = plainTcp(seconds);
    }
    fmt::print("{:<22} {:>8}  {:>8}  {}\n", "3840x2160 rgba", "GB/s", "frames/s", "three runs");
    fmt::print("{:<22} {:>8.2f}  {:>8.1f}  {:.2f}\n", "verbcast over " + transport, median(ours),
               median(ours) * 1e9 / kFrameBytes, fmt::join(ours, " "));
    fmt::print("{:<22} {:>8.2f}  {:>8.1f}  {:.2f}\n", "plain TCP send/recv", median(plain),
               median(plain) * 1e9 / kFrameBytes, fmt::join(plain, " "));
    fmt::print(
        "ratio {:.3f}{}\n", median(ours) / median(plain),
        transport == "shm" ? " (shm copies nothing: this is a hand-off rate, not a memory speed)" : "");
    return 0;
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    const std::string transport = argc > 1 ? argv[1] : "tcp";
    const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
    if ((transport != "tcp" && transport != "shm") || seconds <= 0) {
        fmt::print(stderr, "usage: transport_bench [tcp|shm] [seconds]\n");
        return 2;
    }
    return verbcast::run(transport, seconds);
}

// Throughput of a transport next to a plain loop that moves as many bytes:
// transport_bench [tcp|shm|...] [seconds]
//
// The transport is driven directly: the sink returns each slot as soon as it is full, and there is no
// session. Both move 4K rgba frames between two processes of this host, from a ring of eight slots into a
// ring of eight slots (too large for caches to favour either); nothing reads the pixels. The plain loop is
// what sockets alone can do: blocking send() of whole frames on one connection, recv(MSG_WAITALL) into the
// next slot. The two alternate, three times, because machines drift; the result is the ratio of the medians.
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
#include <cstring>
#include <string>
#include <vector>

#include "core/transport/registry.h"
#include "core/transport/socket_address.h"

namespace verbcast::testing {
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
    const SocketAddress any = resolve(url, false, Deadline::never()).front();
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

/// One end, driven directly. A message is the offer of a ring, or slots that may be written.
struct Bench : MessageHandler, FrameHandler {
    Connection connection;
    std::shared_ptr<FramePool> pool;
    std::vector<std::uint32_t> credits;
    std::uint64_t frames = 0;
    bool isSource = false;
    bool accepted = false;

    FramePath& path() const { return *connection.frames; }
    void begin(Connection made, bool source) {
        connection = std::move(made);
        isSource = source;
        connection.messages->setHandler(this);
        path().setHandler(this);
        if (source || !path().sharesMemory()) {
            pool = FramePool::create({.slotBytes = kFrameBytes, .slotCount = kSlots});
            std::fill_n(pool->memory()->bytes().data(), pool->memory()->bytes().size(), std::byte{1});
            pool->slots().takeFree([](std::uint32_t) {});
        }
        if (source) {
            path().prepare(pool);
        }
        if (source == path().sharesMemory()) {
            path().offer(1, pool);
        }
        for (std::uint32_t slot = 0; source && slot < kSlots; ++slot) {
            credits.push_back(slot);
        }
    }
    void say(std::span<const std::byte> message) const {
        while (connection.messages->send(message) == Status::Busy) {
        }
    }
    void onOfferReady(RingId, std::span<const std::byte> offer) override {
        std::vector<std::byte> message(5);  // longer than a slot number
        message.insert(message.end(), offer.begin(), offer.end());
        say(message);
    }
    void onMessage(std::span<const std::byte> message) override {
        if (message.size() == sizeof(std::uint32_t)) {
            std::uint32_t slot = 0;
            std::memcpy(&slot, message.data(), sizeof slot);
            credits.push_back(slot);
            return;
        }
        auto mapped = path().accept(1, {slotBytesFor(kFrameBytes), kSlots}, message.subspan(5));
        pool = mapped ? std::move(mapped) : pool;
        accepted = true;
    }
    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo&) override { return {pool, slot}; }
    void onFrame(RingId, std::uint32_t slot, const FrameInfo&) override {
        ++frames;
        say(std::as_bytes(std::span(&slot, 1)));
    }
    void onFrameSent(std::uint32_t) override {}

    void sendWhatMayBeSent() {
        while ((accepted || path().sharesMemory()) && !credits.empty()) {
            OutgoingFrame frame;
            frame.pool = pool;
            frame.localSlot = frame.remoteSlot = credits.front();
            frame.ring = 1;
            frame.info.payloadBytes = kFrameBytes;
            if (path().send(frame) != Status::Ok) {
                return;
            }
            credits.erase(credits.begin());
        }
    }
    /// False when the connection has ended.
    bool serve() {
        if (isSource) {
            sendWhatMayBeSent();
        }
        const Progress heard = connection.messages->process();
        const Progress moved = path().poll();
        if (heard == Progress::Closed || moved == Progress::Closed) {
            return false;
        }
        if (heard == Progress::Idle && moved == Progress::Idle && connection.messages->readyToSleep() &&
            path().readyToSleep()) {
            waitReadable({connection.messages->waitDescriptor(), path().waitDescriptor()}, 1s);
        }
        return true;
    }
};

/// Gigabytes per second of whole frames through the transport.
double overTransport(const Url& url, double seconds) {
    const Transport& transport = transportFor(url);
    const auto listener = transport.listen(url, {});
    const Url target = parseUrl(listener->address());
    const pid_t child = ::fork();
    if (child == 0) {
        Bench source;
        source.begin(transport.connect(target, {.sendsFrames = true}, Deadline::in(10s), Event()), true);
        while (source.serve()) {
        }
        ::_exit(0);
    }
    Connection connection;
    while (!(connection = listener->accept())) {
        waitReadable({listener->waitDescriptor()}, 10s);
    }
    Bench sink;
    sink.begin(std::move(connection), false);
    while (sink.frames < 16 && sink.serve()) {
    }
    const TimestampNs start = nowNs();
    sink.frames = 0;
    while (static_cast<double>(nowNs() - start) * 1e-9 < seconds && sink.serve()) {
    }
    const double rate = static_cast<double>(sink.frames * kFrameBytes) / static_cast<double>(nowNs() - start);
    sink.connection.messages->close();
    ::waitpid(child, nullptr, 0);
    return rate;
}

double median(std::array<double, 3> values) {
    std::sort(values.begin(), values.end());
    return values[1];
}

Url addressOf(const Transport& transport) {
    Url url = parseUrl(fmt::format("127.0.0.1:{}", transport.namesPeers ? ::getpid() % 65536 : 0));
    return addressFor(transport, url);
}

int run(const Transport& transport, double seconds) {
    std::array<double, 3> ours{};
    std::array<double, 3> plain{};
    for (std::size_t round = 0; round < ours.size(); ++round) {
        ours[round] = overTransport(addressOf(transport), seconds);
        plain[round] = plainTcp(seconds);
    }
    fmt::print("{:<22} {:>8}  {:>8}  {}\n", "3840x2160 rgba", "GB/s", "frames/s", "three runs");
    fmt::print("{:<22} {:>8.2f}  {:>8.1f}  {:.2f}\n", fmt::format("verbcast over {}", transport.scheme),
               median(ours), median(ours) * 1e9 / kFrameBytes, fmt::join(ours, " "));
    fmt::print("{:<22} {:>8.2f}  {:>8.1f}  {:.2f}\n", "plain TCP send/recv", median(plain),
               median(plain) * 1e9 / kFrameBytes, fmt::join(plain, " "));
    fmt::print(
        "ratio {:.3f}{}\n", median(ours) / median(plain),
        transport.namesPeers ? " (shm copies nothing: this is a hand-off rate, not a memory speed)" : "");
    return 0;
}

}  // namespace
}  // namespace verbcast::testing

int main(int argc, char** argv) {
    const verbcast::Transport* transport = verbcast::findTransport(argc > 1 ? argv[1] : "tcp");
    const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
    if (transport == nullptr || !transport->availability().available || seconds <= 0) {
        fmt::print(stderr, "usage: transport_bench [transport] [seconds]\n");
        return 2;
    }
    return verbcast::testing::run(*transport, seconds);
}

// Measures a pipe and a plain TCP connection: a process writes from a ring and this one reads into a ring, by
// blocking calls, nothing else. Which size of a call is the fastest over TCP depends on the machine, so that
// connection uses three in turn, and the best counts.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <vector>

#include "app/bench/limits/limit_clock.h"
#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/pinning.h"
#include "core/transport/socket_address.h"

namespace verbcast {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LimitJob, frameBytes, slots, frames, seconds, pin, device)

namespace {

/// Most bytes that a pipe moves at a time; more would only wait inside the kernel.
constexpr std::uint64_t kPipeBytes = 1U << 20;

struct CallSize {
    std::uint64_t bytes;
    const char* words;
};
constexpr std::array<CallSize, 3> kCallSizes{
    {{UINT64_MAX, "whole frames"}, {1U << 20, "1 MiB"}, {256U << 10, "256 KiB"}}};

/// Some frames are moved by calls of one size, then as many by calls of the next: far more than the kernel
/// buffers between the two ends.
std::uint64_t framesPerTurn(const LimitJob& job) {
    return std::max<std::uint64_t>(job.slots, (64U << 20) / job.frameBytes);
}
std::size_t turnOf(const LimitJob& job, std::uint64_t frame) {
    return frame / framesPerTurn(job) % kCallSizes.size();
}

/// The speeds of whole turns, by size.
using TurnRates = std::array<std::vector<double>, kCallSizes.size()>;

/// Of at least one value.
double median(std::vector<double> values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Of the process that writes.
struct WriteJob {
    LimitJob frames{};
    bool checked = false;  ///< it makes each frame, and sends its hash after it
    bool turns = false;    ///< by calls of several sizes
    std::string pipe{};    ///< a path; empty: to the port
    std::uint16_t port = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WriteJob, frames, checked, turns, pipe, port)

UniqueFd openTarget(const WriteJob& job) {
    if (!job.pipe.empty()) {
        UniqueFd pipe(::open(job.pipe.c_str(), O_WRONLY | O_CLOEXEC));
        if (!pipe) {
            throwErrno(ErrorKind::Resource, "open", "a pipe", errno);
        }
        return pipe;
    }
    Url url;
    url.host = "127.0.0.1";
    url.port = job.port;
    const SocketAddress address = resolve(url, false, Deadline::never()).front();
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), address.get(), address.length) != 0) {
        throwErrno(ErrorKind::Network, "connect", address.text(), errno);
    }
    return socket;
}

/// By calls of at most so many bytes. Throws if the other end closes before.
void readAll(int from, std::span<std::byte> bytes, std::uint64_t callBytes = UINT64_MAX) {
    while (!bytes.empty()) {
        // A socket waits for all bytes, a pipe returns what it holds.
        auto n = ::recv(from, bytes.data(), std::min(callBytes, bytes.size()), MSG_WAITALL);
        if (n < 0 && errno == ENOTSOCK) {
            n = ::read(from, bytes.data(), std::min(kPipeBytes, bytes.size()));
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            throw Error(ErrorKind::Network, "the process that writes ended early");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

/// By calls of at most so many bytes. False if the other end takes no more.
bool writeAll(int to, std::span<const std::byte> bytes, std::uint64_t callBytes = UINT64_MAX) {
    while (!bytes.empty()) {
        const auto n = ::write(to, bytes.data(), std::min(callBytes, bytes.size()));
        if (n < 0 && errno == EINTR && !interruptEvent().isSet()) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

/// `rates`: null to read whole frames.
double readingRate(const LimitJob& job, int from, bool checked, TurnRates* rates) {
    const auto ring = touchedRing(job.frameBytes, job.slots);
    TimestampNs turnBegan = 0;
    return rateOfThread(job, receiverPin(job.pin), [&](std::uint64_t frame) {
        if (rates != nullptr && frame % framesPerTurn(job) == 0) {
            const TimestampNs now = nowNs();
            if (frame > framesPerTurn(job)) {  // the first turn warms up
                (*rates)[turnOf(job, frame - 1)].push_back(
                    static_cast<double>(framesPerTurn(job) * job.frameBytes) /
                    static_cast<double>(now - turnBegan));
            }
            turnBegan = now;
        }
        const std::span slot(ring->slotData(static_cast<std::uint32_t>(frame % job.slots)), job.frameBytes);
        readAll(from, slot, kCallSizes[rates != nullptr ? turnOf(job, frame) : 0].bytes);
        std::uint64_t hash = 0;
        if (checked) {
            readAll(from, std::as_writable_bytes(std::span(&hash, 1)));
        }
        if (checked && !frameIsIntact(slot, hash)) {
            throw Error(ErrorKind::Corrupt, "a plain TCP connection does not hold what was written");
        }
    });
}

double pipeRate(const LimitJob& job) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throwErrno(ErrorKind::Resource, "pipe2", "a pipe", errno);
    }
    UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    ::fcntl(reading.get(), F_SETPIPE_SZ, kPipeBytes);  // as far as /proc/sys/fs/pipe-max-size allows
    Worker writer("", "limit-write",
                  WriteJob{.frames = job, .pipe = fmt::format("/proc/{}/fd/{}", ::getpid(), writing.get())});
    writer.awaitProgress();  // it has opened the pipe: its write end shall be the last one
    writing.reset();
    const double rate = readingRate(job, reading.get(), false, nullptr);
    reading.reset();  // ends the writer
    return rate;
}

/// Of the fastest size, which it appends to `note`; of all, if the time was too short for a turn of each.
double tcpRate(const LimitJob& job, bool checked, std::string& note) {
    Url url;
    url.host = "127.0.0.1";
    url.port = 0;
    const SocketAddress any = resolve(url, false, Deadline::never()).front();
    const UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listening || ::bind(listening.get(), any.get(), any.length) != 0 ||
        ::listen(listening.get(), 1) != 0) {
        throwErrno(ErrorKind::Network, "listen", any.text(), errno);
    }
    Worker writer("", "limit-write",
                  WriteJob{.frames = job,
                           .checked = checked,
                           .turns = true,
                           .port = localAddressOf(listening.get()).port()});
    writer.awaitProgress();
    const UniqueFd from(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!from) {
        throwErrno(ErrorKind::Network, "accept", any.text(), errno);
    }
    TurnRates rates;
    const double overall = readingRate(job, from.get(), checked, &rates);
    if (std::ranges::any_of(rates, [](const auto& of) { return of.empty(); })) {
        note += "; the time was too short to compare sizes of calls";
        return overall;
    }
    const auto best = std::ranges::max_element(rates, {}, [](const auto& of) { return median(of); });
    note += fmt::format("; fastest size of calls: {} (tried {}, {} and {})",
                        kCallSizes[static_cast<std::size_t>(best - rates.begin())].words, kCallSizes[0].words,
                        kCallSizes[1].words, kCallSizes[2].words);
    return median(*best);
}

Limit tcpLimit(const LimitJob& job, bool checked, const std::string& name, std::string note) {
    Limit limit = limitFrom(name, "", [&] { return tcpRate(job, checked, note); });
    limit.note = std::move(note);
    return limit;
}

}  // namespace

/// Writes frames until the read end is closed.
nlohmann::json limitWriteRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto task = json.get<WriteJob>();
    const LimitJob& job = task.frames;
    pinThread(senderPin(job.pin));
    const auto ring = touchedRing(job.frameBytes, job.slots);
    const UniqueFd to = openTarget(task);
    emit("connected");
    for (std::uint64_t frame = 0;; ++frame) {
        const std::uint64_t callBytes = kCallSizes[task.turns ? turnOf(job, frame) : 0].bytes;
        const std::span slot(ring->slotData(static_cast<std::uint32_t>(frame % job.slots)), job.frameBytes);
        const std::uint64_t hash = task.checked ? writeFrame(slot, frame) : 0;
        if (!writeAll(to.get(), slot, callBytes) ||
            (task.checked && !writeAll(to.get(), std::as_bytes(std::span(&hash, 1))))) {
            return {{"frames", frame}};
        }
    }
}

Limit measurePipe(const LimitJob& job) {
    return limitFrom("pipe", "two processes, write and read of up to 1 MiB", [&] { return pipeRate(job); });
}

Limit measurePlainTcp(const LimitJob& job) {
    return tcpLimit(job, false, "plain TCP", "two processes, send and recv on one connection over loopback");
}

Limit measureCheckedTcp(const LimitJob& job) {
    return tcpLimit(
        job, true, "plain TCP, checked",
        "plain TCP, with the same writes and checks of every frame, each by the thread that sends "
        "or receives it");
}

}  // namespace verbcast

// Measures the minimum cost of a hand-over between two processes: one sleeps on a word of shared memory, the
// other wakes it.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <span>

#include "app/bench/limits/limits.h"
#include "app/bench/workers/pinning.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/event.h"
#include "core/base/os/futex.h"
#include "core/stats/histogram.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxWakes = 100'000;
constexpr std::chrono::seconds kSleepPatience{10};  // per sleep; after that the other end is gone

/// Memory shared by both processes. The kernel provides it zeroed.
struct Shared {
    std::atomic<std::uint32_t> sent;
    std::atomic<bool> over;
    std::atomic<std::int64_t> sleeperNs;  ///< CPU time of the process being woken
    std::atomic<std::uint32_t> taken;
    std::array<std::int64_t, kMaxWakes> sentAtNs;  // each written before `sent` counts it
    std::array<std::int64_t, kMaxWakes> latencyNs;
};

std::int64_t processorNs() {
    rusage use{};
    ::getrusage(RUSAGE_THREAD, &use);
    const auto ns = [](const timeval& time) {
        return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_usec * std::int64_t{1000};
    };
    return ns(use.ru_utime) + ns(use.ru_stime);
}

/// Runs in the forked child of a multithreaded program: only async-signal-safe calls.
[[noreturn]] void sleepAndTake(Shared& shared, pid_t parent) {
    const std::int64_t begin = processorNs();
    std::uint32_t taken = 0;
    while (taken < kMaxWakes && ::getppid() == parent) {
        if (shared.sent == taken) {
            futexWait(shared.sent, taken, kSleepPatience);
        }
        if (shared.over) {
            break;
        }
        for (const std::uint32_t sent = shared.sent; taken < sent; ++taken) {
            shared.latencyNs[taken] = nowNs() - shared.sentAtNs[taken];
        }
        shared.sleeperNs = processorNs() - begin;
        shared.taken = taken;
    }
    ::_exit(0);
}

class SharedPage {
  public:
    SharedPage()
        : memory_(
              ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) {
            throwErrno(ErrorKind::Resource, "mmap", "shared memory", errno);
        }
    }
    ~SharedPage() { ::munmap(memory_, sizeof(Shared)); }
    SharedPage(const SharedPage&) = delete;
    SharedPage& operator=(const SharedPage&) = delete;
    Shared& operator*() const { return *static_cast<Shared*>(memory_); }

  private:
    void* memory_;
};

}  // namespace

std::optional<WakeUp> measureWakeUp(const LimitJob& job, double perSecond) {
    const SharedPage page;
    Shared& shared = *page;
    const PinnedThread pinned(senderPin(job.pin));
    const pid_t parent = ::getpid();
    const pid_t sleeper = ::fork();
    if (sleeper < 0) {
        throwErrno(ErrorKind::Resource, "fork", "a process to wake", errno);
    }
    if (sleeper == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        try {
            pinThread(receiverPin(job.pin));
        } catch (const Error&) {
            ::_exit(1);
        }
        sleepAndTake(shared, parent);
    }
    const double wanted = job.frames ? static_cast<double>(*job.frames) : job.seconds * perSecond;
    const auto wakes = static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(kMaxWakes)));
    const std::int64_t begin = processorNs();
    const TimestampNs start = nowNs();
    std::uint32_t sent = 0;
    for (; sent < wakes; ++sent) {
        const auto due = start + static_cast<TimestampNs>((sent + 1) * 1e9 / perSecond);
        if (!waitUntil(due, interruptEvent())) {
            break;
        }
        shared.sentAtNs[sent] = nowNs();
        shared.sent = sent + 1;
        futexWake(shared.sent);
    }
    const std::int64_t wakerNs = processorNs() - begin;
    // The last wake-up has been taken by now, or never will be.
    const Deadline deadline = Deadline::in(std::chrono::seconds(1));
    while (shared.taken < sent && !deadline.passed()) {
        ::usleep(1000);
    }
    shared.over = true;
    ++shared.sent;
    futexWake(shared.sent);
    ::waitpid(sleeper, nullptr, 0);
    const std::uint32_t taken = shared.taken;
    if (taken == 0) {
        return std::nullopt;
    }
    LatencyHistogram latency;
    std::ranges::for_each(std::span(shared.latencyNs).first(taken),
                          [&](std::int64_t nanoseconds) { latency.record(nanoseconds); });
    return WakeUp{.latency = latency.percentiles(),
                  .cpuMicroseconds = static_cast<double>(wakerNs + shared.sleeperNs) * 1e-3 / taken};
}

}  // namespace verbcast

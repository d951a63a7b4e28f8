// What a frame costs that no machine's speed changes: mutex operations and system calls, counted in front of
// the C library; our own instructions and the cache lines of code that they lie in, counted by single steps.
// The bounds are what was reached; raise one only with a reason.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <future>
#include <set>

#include "tests/core/session/core_support.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's own name
extern "C" const char __executable_start;  // where the program begins in memory; set by the linker
extern "C" const char etext;               // where its code ends

namespace {

struct Costs {
    int mutexes = 0;
    int systemCalls = 0;
    long pageFaults = 0;
    std::size_t instructions = 0;  // before the first system call, if they are counted
};
thread_local Costs ofThread;
std::atomic<int> systemCallsOfAll{0};  // threads
std::atomic<int> sleepsOfAll{0};
std::atomic<int> futileCallsOfAll{0};  // that asked a socket for what it did not have

#if defined(__x86_64__)
constexpr long kTrapFlag = 0x100;  // of the flags register: a SIGTRAP after each instruction
std::array<std::uintptr_t, 1 << 16> steps;
std::atomic<std::size_t> stepCount{0};

/// Libraries copy memory and read the clock as the processor does it best, and read the clock again if the
/// kernel has set it meanwhile.
bool isOurs(std::uintptr_t address) {
    return address >= reinterpret_cast<std::uintptr_t>(&__executable_start) &&
           address < reinterpret_cast<std::uintptr_t>(&etext);
}

void onStep(int, siginfo_t*, void* context) {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const auto address = static_cast<std::uintptr_t>(registers[REG_RIP]);
    if (!isOurs(address)) {
        return;
    }
    const std::size_t step = stepCount++;
    if (step < steps.size()) {
        steps[step] = address;
    }
}

/// While it lives, each instruction of this thread, outside of libraries, is noted in `steps`.
class SingleSteps {
  public:
    SingleSteps() {
        struct sigaction action {};
        action.sa_sigaction = onStep;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGTRAP, &action, &before_);
        stepCount = 0;
        asm volatile("sub $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; add $128, %%rsp" ::"i"(kTrapFlag)
                     : "cc");
    }
    ~SingleSteps() {
        asm volatile("sub $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; add $128, %%rsp" ::"i"(~kTrapFlag)
                     : "cc");
        ::sigaction(SIGTRAP, &before_, nullptr);
    }

  private:
    struct sigaction before_ {};
};

std::size_t codeLines(std::size_t instructions) {
    std::set<std::uintptr_t> lines;
    for (std::size_t i = 0; i < std::min(instructions, steps.size()); ++i) {
        lines.insert(steps[i] / 64);
    }
    return lines.size();
}
#endif

void countSystemCall() {
#if defined(__x86_64__)
    if (ofThread.systemCalls == 0) {
        ofThread.instructions = stepCount;
    }
#endif
    ++ofThread.systemCalls;
    ++systemCallsOfAll;
}

ssize_t countMoved(ssize_t bytes) {
    countSystemCall();
    futileCallsOfAll += bytes < 0 ? 1 : 0;
    return bytes;
}

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static auto* const real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
    ++ofThread.mutexes;
    return real(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static auto* const real = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
    ++ofThread.mutexes;
    return real(mutex);
}

long syscall(long number, ...) {
    countSystemCall();  // before what this test does for it
    static auto* const real = next<long(long, ...)>("syscall");
    va_list list;
    va_start(list, number);
    std::array<long, 6> values{};
    for (long& value : values) {
        value = va_arg(list, long);
    }
    va_end(list);
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

ssize_t read(int descriptor, void* data, size_t bytes) {
    static auto* const real = next<ssize_t(int, void*, size_t)>("read");
    countSystemCall();
    return real(descriptor, data, bytes);
}

ssize_t write(int descriptor, const void* data, size_t bytes) {
    static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
    countSystemCall();
    return real(descriptor, data, bytes);
}

ssize_t recv(int descriptor, void* data, size_t bytes, int flags) {
    static auto* const real = next<ssize_t(int, void*, size_t, int)>("recv");
    return countMoved(real(descriptor, data, bytes, flags));
}

ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
    static auto* const real = next<ssize_t(int, msghdr*, int)>("recvmsg");
    return countMoved(real(descriptor, message, flags));
}

ssize_t send(int descriptor, const void* data, size_t bytes, int flags) {
    static auto* const real = next<ssize_t(int, const void*, size_t, int)>("send");
    return countMoved(real(descriptor, data, bytes, flags));
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
    static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
    return countMoved(real(descriptor, message, flags));
}

int setsockopt(int descriptor, int level, int name, const void* value, socklen_t bytes) noexcept {
    static auto* const real = next<int(int, int, int, const void*, socklen_t)>("setsockopt");
    countSystemCall();
    return real(descriptor, level, name, value, bytes);
}

int epoll_ctl(int set, int operation, int descriptor, epoll_event* event) noexcept {
    static auto* const real = next<int(int, int, int, epoll_event*)>("epoll_ctl");
    countSystemCall();
    return real(set, operation, descriptor, event);
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
    static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
    countSystemCall();
    ++sleepsOfAll;
    return real(descriptors, count, timeout);
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* signals) {
    static auto* const real = next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    countSystemCall();
    ++sleepsOfAll;
    return real(descriptors, count, timeout, signals);
}
}

namespace verbcast::testing {
namespace {

/// The least of many: a busy machine adds to some, and what the code does is in all.
struct Least {
    Costs costs{1000, 1000};
    void add(const Costs& one) {
        costs.mutexes = std::min(costs.mutexes, one.mutexes);
        costs.systemCalls = std::min(costs.systemCalls, one.systemCalls);
    }
};

long pageFaultsOfThread() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

template <typename Work>
Costs costOf(Work&& work) {
    ofThread = {};
    const long before = pageFaultsOfThread();
    work();
    ofThread.pageFaults = pageFaultsOfThread() - before;
    return ofThread;
}

class FrameCostOver : public ::testing::Test {
  protected:
    explicit FrameCostOver(const TransportUnderTest& transport)
        : sender_(senderOptions(transport, Policy::Latest)) {}

    /// Submits frames, each after the viewer has taken the one before. Both are called with what they are to
    /// do, once a frame.
    template <typename Submitting, typename Receiving>
    void exchange(int frames, Submitting&& submitting, Receiving&& receiving,
                  const VideoFormat& format = tightFormat(160, 120, PixelFormat::rgba)) {
        ASSERT_TRUE(eventually([&] { return sender_.receiverCount() == 1; }));
        std::atomic<int> taken{0};
        auto viewer = std::async(std::launch::async, [&] {
            for (int i = 0; i < frames; ++i) {
                ReceivedFrame frame;
                receiving([&] { ASSERT_EQ(receiver_.receive(frame, kLimit), Status::Ok); });
                frame = {};
                ++taken;
            }
        });
        TestSource source(format);
        for (int i = 0; i < frames; ++i) {
            auto lease = source.make();
            ASSERT_TRUE(lease);
            const FrameInfo info = source.info();
            Status status = Status::Busy;
            submitting(
                i, [&] { status = sender_.submit(std::move(*lease), source.format, info, source.never); });
            ASSERT_EQ(status, Status::Ok);
            ++source.next;
            ASSERT_TRUE(eventually([&] { return taken == i + 1; }));
        }
        viewer.get();
    }

    /// By how much count() counts up for a frame, from its submission until all is quiet again.
    template <typename Count>
    int leastOf(Count&& count, int frames, const VideoFormat& format) {
        int least = 1000;
        int before = 0;
        const auto settled = [] {
            const int calls = systemCallsOfAll;
            std::this_thread::sleep_for(1ms);
            return calls == systemCallsOfAll;
        };
        exchange(
            frames,
            [&](int frame, const auto& submit) {
                EXPECT_TRUE(eventually(settled));
                const int now = count();
                least = frame > 0 ? std::min(least, now - before) : least;
                before = now;
                submit();
            },
            [](const auto& receive) { receive(); }, format);
        return least;
    }

    Broadcast sender_;
    FrameReceiver receiver_{receiverOptions(sender_)};
};

class FrameCost : public FrameCostOver {
  protected:
    FrameCost() : FrameCostOver({"shm", "shm://frame-cost-#"}) {}
};

class FrameCostOverTcp : public FrameCostOver {
  protected:
    FrameCostOverTcp() : FrameCostOver({"tcp", "tcp://127.0.0.1:0"}) {}
};

TEST_F(FrameCost, OverSharedMemory) {
    Least receiving, submitting;
    long submittingFaults = 0,
         receivingFaults = 0;  // once all has been used: records reach a new page every 43 frames
    exchange(
        200,
        [&](int frame, const auto& submit) {
            const Costs costs = costOf(submit);
            submitting.add(costs);
            submittingFaults += frame < 20 ? 0 : costs.pageFaults;
        },
        [&, frame = 0](const auto& receive) mutable {
            const Costs costs = costOf(receive);
            receiving.add(costs);
            receivingFaults += frame++ < 20 ? 0 : costs.pageFaults;
        });
    EXPECT_LE(submittingFaults, 2) << "5, if the records' memory is not mapped at once";
    EXPECT_LE(receivingFaults, 2);
    EXPECT_LE(submitting.costs.mutexes, 8);
    EXPECT_LE(submitting.costs.systemCalls, 1) << "it wakes the viewer";
    EXPECT_LE(receiving.costs.mutexes, 7);
    EXPECT_LE(receiving.costs.systemCalls, 1) << "it sleeps";
    RecordProperty("mutexes of submit()", submitting.costs.mutexes);
    RecordProperty("mutexes of receive()", receiving.costs.mutexes);
    EXPECT_EQ(sender_.stats().bytesCopied, 0U);
}

/// Each thread wakes, and reads only what woke it. Four calls move frame and credit, and wake the sending and
/// the consuming thread; a sleep is one more and two that read. How often the threads sleep, 3 to 5 times, is
/// up to the scheduler.
TEST_F(FrameCostOverTcp, InSystemCalls) {
    const auto besideSleeps = [] { return systemCallsOfAll - 3 * sleepsOfAll; };
    const int calls = leastOf(besideSleeps, 200, tightFormat(160, 120, PixelFormat::rgba));
    EXPECT_LE(calls, 5);
    RecordProperty("system calls but for three a sleep", calls);
}

TEST_F(FrameCostOverTcp, InSleeps) {
    const int sleeps =
        leastOf([] { return sleepsOfAll.load(); }, 200, tightFormat(160, 120, PixelFormat::rgba));
    EXPECT_LE(sleeps, 7);
    RecordProperty("sleeps", sleeps);
}

/// How many calls move it depends on the kernel; nearly each of them moves something.
TEST_F(FrameCostOverTcp, OfALargeFrameInFutileCalls) {
    const int calls =
        leastOf([] { return futileCallsOfAll.load(); }, 60, tightFormat(2048, 1024, PixelFormat::rgba));
    EXPECT_LE(calls, 6);
    RecordProperty("futile calls", calls);
}

#if defined(__x86_64__) && defined(VERBCAST_COUNTS_INSTRUCTIONS)
/// From submit() to the system call that wakes the viewer.
TEST_F(FrameCost, InInstructionsOverSharedMemory) {
    constexpr int kFrames = 25, kWarm = 20;
    std::size_t instructions = steps.size(), lines = steps.size();
    const auto counted = [&](int frame, const auto& submit) {
        if (frame < kWarm) {
            submit();
            return;
        }
        const Costs costs = costOf([&] {
            const SingleSteps counting;
            submit();
        });
        if (costs.systemCalls > 0) {
            instructions = std::min(instructions, costs.instructions);
            lines = std::min(lines, codeLines(costs.instructions));
        }
    };
    exchange(kFrames, counted, [](const auto& receive) { receive(); });
    EXPECT_LE(instructions, 2220U);
    EXPECT_LE(lines, 214U);
    RecordProperty("instructions from submit() to the wake-up", static_cast<int>(instructions));
    RecordProperty("their cache lines", static_cast<int>(lines));
}
#endif

}  // namespace
}  // namespace verbcast::testing

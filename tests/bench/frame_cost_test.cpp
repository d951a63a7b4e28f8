// What a frame costs that no machine's speed changes: mutex operations and system calls, counted in front of
// the C library. The bounds are what was reached; raise one only with a reason.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <future>

#include "tests/session/core_support.h"

namespace {

struct Costs {
    int mutexes = 0;
    int systemCalls = 0;
};
thread_local Costs ofThread;

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
    static auto* const real = next<long(long, ...)>("syscall");
    va_list list;
    va_start(list, number);
    std::array<long, 6> values{};
    for (long& value : values) {
        value = va_arg(list, long);
    }
    va_end(list);
    ++ofThread.systemCalls;
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

ssize_t read(int descriptor, void* data, size_t bytes) {
    static auto* const real = next<ssize_t(int, void*, size_t)>("read");
    ++ofThread.systemCalls;
    return real(descriptor, data, bytes);
}

ssize_t write(int descriptor, const void* data, size_t bytes) {
    static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
    ++ofThread.systemCalls;
    return real(descriptor, data, bytes);
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* signals) {
    static auto* const real = next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    ++ofThread.systemCalls;
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

template <typename Work>
Costs costOf(Work&& work) {
    ofThread = {};
    work();
    return ofThread;
}

TEST(FrameCost, OverSharedMemory) {
    Broadcast sender(senderOptions({"shm", "shm://frame-cost-#"}, Policy::Latest));
    FrameReceiver receiver(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    constexpr int kFrames = 200;
    std::atomic<int> taken{0};
    Least receiving, submitting;
    auto viewer = std::async(std::launch::async, [&] {
        for (int i = 0; i < kFrames; ++i) {
            ReceivedFrame frame;
            receiving.add(costOf([&] { ASSERT_EQ(receiver.receive(frame, kLimit), Status::Ok); }));
            frame = {};
            ++taken;
        }
    });
    TestSource source;
    for (int i = 0; i < kFrames; ++i) {
        auto lease = source.make();
        ASSERT_TRUE(lease);
        submitting.add(costOf([&] {
            ASSERT_EQ(sender.submit(std::move(*lease), source.format, source.info(), source.never),
                      Status::Ok);
        }));
        ++source.next;
        ASSERT_TRUE(eventually([&] { return taken == i + 1; }));
    }
    viewer.get();
    EXPECT_LE(submitting.costs.mutexes, 9);
    EXPECT_LE(submitting.costs.systemCalls, 1) << "it wakes the viewer";
    EXPECT_LE(receiving.costs.mutexes, 7);
    EXPECT_LE(receiving.costs.systemCalls, 1) << "it sleeps";
    RecordProperty("mutexes of submit()", submitting.costs.mutexes);
    RecordProperty("mutexes of receive()", receiving.costs.mutexes);
    EXPECT_EQ(sender.stats().bytesCopied, 0U);
}

}  // namespace
}  // namespace verbcast::testing

#include "app/bench/limits/limit_clock.h"

#include <cstring>
#include <exception>
#include <thread>

#include "app/bench/workers/pinning.h"

namespace verbcast {

std::shared_ptr<FramePool> touchedRing(const LimitJob& job) {
    auto ring = FramePool::create({.slotBytes = job.frameBytes, .slotCount = job.slots});
    std::memset(ring->memory()->bytes().data(), 1, ring->memory()->bytes().size());
    return ring;
}

double rateOfThread(const LimitJob& job, int processor, const std::function<void(LimitClock&)>& work) {
    LimitClock clock(job);
    std::exception_ptr failure;
    std::jthread([&] {
        try {
            if (processor >= 0) {
                pinThread(processor);
            }
            work(clock);
        } catch (...) {
            failure = std::current_exception();
        }
    }).join();
    if (failure) {
        std::rethrow_exception(failure);
    }
    return clock.gigabytesPerSecond();
}

}  // namespace verbcast

// Slots and leases, and frames handed from one thread to another.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

#include "app/view/streams/frame_mailbox.h"
#include "core/flow/frame_inbox.h"
#include "core/memory/frame_pool.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<FramePool> smallPool(std::uint32_t slots) {
    return FramePool::create({.slotBytes = 4096, .slotCount = slots, .hugePages = false});
}

ReceivedFrame frameFrom(FramePool& pool) {
    ReceivedFrame frame;
    frame.lease = std::move(pool.tryAcquire().value());
    frame.format = std::make_shared<const VideoFormat>(tightFormat(64, 64, PixelFormat::rgba));
    return frame;
}

/// Acquires the last of the given number of slots while all others are in use.
void PoolAcquireAndRelease(benchmark::State& state) {
    const auto slots = static_cast<std::uint32_t>(state.range(0));
    const auto pool = smallPool(slots);
    std::vector<FrameLease> held;
    while (held.size() + 1 < slots) {
        held.push_back(std::move(pool->tryAcquire().value()));
    }
    for (auto _ : state) {
        auto lease = pool->tryAcquire();
        benchmark::DoNotOptimize(lease);
    }
}
BENCHMARK(PoolAcquireAndRelease)->Arg(8)->Arg(256);

/// A sender with one receiver shares each lease once.
void LeaseShareAndDrop(benchmark::State& state) {
    const auto pool = smallPool(2);
    const FrameLease lease = std::move(pool->tryAcquire().value());
    for (auto _ : state) {
        FrameLease second = lease.share();
        benchmark::DoNotOptimize(second);
    }
}
BENCHMARK(LeaseShareAndDrop);

/// The life of a slot over shm: granted by the peer, leased, dropped, taken back to be returned as a credit.
void SlotAdoptAndTakeBack(benchmark::State& state) {
    const auto pool = smallPool(8);
    pool->slots().takeFree([](std::uint32_t) {});
    for (auto _ : state) {
        pool->adopt(3)->reset();
        pool->slots().takeFree([](std::uint32_t slot) { benchmark::DoNotOptimize(slot); });
    }
}
BENCHMARK(SlotAdoptAndTakeBack);

void QueuePushAndPop(benchmark::State& state) {
    const auto pool = smallPool(2);
    FrameInbox queue(2);
    ReceivedFrame frame = frameFrom(*pool);
    for (auto _ : state) {
        if (!queue.push(std::move(frame)) || !queue.pop(frame)) {
            state.SkipWithError("the queue lost a frame");
        }
    }
}
BENCHMARK(QueuePushAndPop);

void MailboxPutAndTake(benchmark::State& state) {
    const auto pool = smallPool(2);
    FrameMailbox mailbox;
    ReceivedFrame frame = frameFrom(*pool);
    for (auto _ : state) {
        mailbox.put(std::move(frame));
        if (!mailbox.take(frame)) {
            state.SkipWithError("the mailbox lost a frame");
        }
    }
}
BENCHMARK(MailboxPutAndTake);

/// A newer frame replaces an untaken one, whose slot is released at once.
void MailboxReplace(benchmark::State& state) {
    const auto pool = smallPool(8);
    FrameMailbox mailbox;
    const auto format = std::make_shared<const VideoFormat>(tightFormat(64, 64, PixelFormat::rgba));
    for (auto _ : state) {
        ReceivedFrame frame;
        frame.lease = std::move(pool->tryAcquire().value());
        frame.format = format;
        mailbox.put(std::move(frame));
    }
}
BENCHMARK(MailboxReplace);

enum class Wait { Spin, Sleep };

/// Waits for the next frame; returns false once `stop` is set.
template <Wait kWait>
bool takeFrom(FrameInbox& queue, ReceivedFrame& frame, const std::atomic<bool>& stop) {
    while (!queue.pop(frame)) {
        if (stop.load(std::memory_order_relaxed)) {
            return false;
        }
        if constexpr (kWait == Wait::Sleep) {
            queue.available().arm();
            if (queue.empty()) {
                waitReadable({queue.available().descriptor()}, 100ms);
            }
            queue.available().disarm();
        }
    }
    return true;
}

/// A frame with its lease to another thread and back: twice the cost of one hand-off.
template <Wait kWait>
void HandOffThereAndBack(benchmark::State& state) {
    const auto pool = smallPool(2);
    FrameInbox there(2), back(2);
    std::atomic<bool> stop{false};
    std::jthread other([&] {
        for (ReceivedFrame frame; takeFrom<kWait>(there, frame, stop);) {
            static_cast<void>(back.push(std::move(frame)));  // one frame always fits
        }
    });
    ReceivedFrame frame = frameFrom(*pool);
    for (auto _ : state) {
        static_cast<void>(there.push(std::move(frame)));
        takeFrom<kWait>(back, frame, stop);
    }
    stop = true;
}
BENCHMARK(HandOffThereAndBack<Wait::Spin>)->UseRealTime();
BENCHMARK(HandOffThereAndBack<Wait::Sleep>)->UseRealTime();

}  // namespace
}  // namespace verbcast::testing

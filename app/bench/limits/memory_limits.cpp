// Measures memory alone: copies between two rings, and the work of `--verify full` in one process.
#include <atomic>
#include <cstring>
#include <future>
#include <vector>

#include "app/bench/limits/limit_clock.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/pinning.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace verbcast {
namespace {

using Copy = void (*)(std::byte* to, const std::byte* from, std::uint64_t bytes);

double copyRate(const LimitJob& job, Copy copy) {
    const auto from = touchedRing(job.frameBytes, job.slots);
    const auto to = touchedRing(job.frameBytes, job.slots);
    return rateOfThread(job, senderPin(job.pin), [&](std::uint64_t frame) {
        const auto slot = static_cast<std::uint32_t>(frame % job.slots);
        copy(to->slotData(slot), from->slotData(slot), job.frameBytes);
    });
}

#ifdef __SSE2__
/// Slots begin at page boundaries, so both pointers are aligned.
void copyAroundCaches(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    constexpr std::uint64_t kWord = sizeof(__m128i);
    std::uint64_t done = 0;
    for (; done + 4 * kWord <= bytes; done += 4 * kWord) {
        const auto* source = reinterpret_cast<const __m128i*>(from + done);
        auto* target = reinterpret_cast<__m128i*>(to + done);
        const __m128i a = _mm_load_si128(source);
        const __m128i b = _mm_load_si128(source + 1);
        const __m128i c = _mm_load_si128(source + 2);
        const __m128i d = _mm_load_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to + done, from + done, bytes - done);
    _mm_sfence();
}
#endif

/// Slots are reused in turn: the writer's counter is ahead of the checker's by at most the number of slots.
class OneProcess {
  public:
    explicit OneProcess(const LimitJob& job)
        : job_(job), ring_(touchedRing(job.frameBytes, job.slots)), hashes_(job.slots) {}

    double run() {
        LimitClock clock(job_);
        auto writer = start(senderPin(job_.pin), [&] { write(); });
        auto checker = start(receiverPin(job_.pin), [&] { check(clock); });
        writer.get();
        checker.get();
        return clock.gigabytesPerSecond();
    }

  private:
    static constexpr std::uint64_t kStopped = ~std::uint64_t{0};

    /// When it ends, also by an error, so does the other thread.
    template <typename Work>
    std::future<void> start(int processor, Work work) {
        return std::async(std::launch::async, [this, processor, work] {
            struct Stop {
                OneProcess& all;
                ~Stop() {
                    stop(all.written_);
                    stop(all.checked_);
                }
            } atEnd{*this};
            pinThread(processor);
            work();
        });
    }

    static void stop(std::atomic<std::uint64_t>& counter) {
        counter = kStopped;
        counter.notify_all();
    }
    /// Returns false if the other side has stopped; never overwrites that.
    static bool advance(std::atomic<std::uint64_t>& counter, std::uint64_t from) {
        const bool running = counter.compare_exchange_strong(from, from + 1);
        counter.notify_all();
        return running;
    }

    void write() {
        for (std::uint64_t frame = 0;; ++frame) {
            for (std::uint64_t checked = checked_; frame - checked >= job_.slots; checked = checked_) {
                if (checked == kStopped) {
                    return;
                }
                checked_.wait(checked);
            }
            const auto slot = static_cast<std::uint32_t>(frame % job_.slots);
            hashes_[slot] = writeFrame({ring_->slotData(slot), job_.frameBytes}, frame);
            if (!advance(written_, frame)) {
                return;
            }
        }
    }

    void check(LimitClock& clock) {
        for (std::uint64_t frame = 0;; ++frame) {
            written_.wait(frame);
            if (written_ == kStopped) {
                return;
            }
            const auto slot = static_cast<std::uint32_t>(frame % job_.slots);
            if (!frameIsIntact({ring_->slotData(slot), job_.frameBytes}, hashes_[slot])) {
                throw Error(ErrorKind::Corrupt, "memory does not hold what was written");
            }
            if (!advance(checked_, frame)) {
                return;
            }
            if (!clock.countFrame()) {
                return;
            }
        }
    }

    const LimitJob& job_;
    std::shared_ptr<FramePool> ring_;  // shared only because pools are
    std::vector<std::uint64_t> hashes_;
    alignas(64) std::atomic<std::uint64_t> written_{0};
    alignas(64) std::atomic<std::uint64_t> checked_{0};
};

}  // namespace

Limit measureMemcpy(const LimitJob& job) {
    return limitFrom("memcpy", "one thread", [&] {
        return copyRate(job, [](std::byte* to, const std::byte* from, std::uint64_t bytes) {
            std::memcpy(to, from, bytes);
        });
    });
}

Limit measureNonTemporalCopy(const LimitJob& job) {
    return limitFrom("non-temporal copy", "one thread, stores that go around the caches", [&]() -> double {
#ifdef __SSE2__
        return copyRate(job, copyAroundCaches);
#else
        static_cast<void>(job);
        throw Error(ErrorKind::Device, "written for x86 (SSE2) only");
#endif
    });
}

Limit measureOneProcess(const LimitJob& job) {
    return limitFrom("one process, two threads", "the same writes and checks without a transport",
                     [&] { return OneProcess(job).run(); });
}

}  // namespace verbcast

// The cost of timing: one time stamp, one histogram entry, and all of both for a frame, as a share of what
// they measure.
//
//   micro_bench --benchmark_filter=Timing
//
// A frame's stamps and entries are those of the code: captured, submitted, posted (source, Broadcast,
// SenderLink), arrived, shown twice (ReceiverLink, FrameReceiver), and for each but the first an entry in one
// or more histograms; `bench stages` adds its own on both sides.
#include <benchmark/benchmark.h>

#include "core/base/os/clock.h"
#include "core/stats/histogram.h"

namespace verbcast::testing {
namespace {

void TimeStamp(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(nowNs());
    }
}
BENCHMARK(TimeStamp);

/// Values across four powers of two, like latencies of one kind.
std::int64_t nextValue(std::int64_t value) {
    return (value * 1103515245 + 12345) & 0xfffff;
}

template <typename Histogram>
void Record(benchmark::State& state) {
    Histogram histogram;
    std::int64_t value = 20'000;
    for (auto _ : state) {
        histogram.record(value = nextValue(value));
    }
}
BENCHMARK(Record<LatencyHistogram>);
BENCHMARK(Record<LatencyRecorder>);

void Percentile(benchmark::State& state) {
    LatencyHistogram histogram;
    std::int64_t value = 20'000;
    for (int i = 0; i < 10'000; ++i) {
        histogram.record(value = nextValue(value));
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(histogram.percentiles());
    }
}
BENCHMARK(Percentile);

/// The clock readings (`stamps`) and histogram entries (`values`) that one frame causes.
template <typename Histogram>
void timingOf(benchmark::State& state, int stamps, int values) {
    Histogram histogram;
    const TimestampNs start = nowNs();
    std::int64_t value = 20'000;
    for (auto _ : state) {
        for (int i = 0; i < stamps; ++i) {
            benchmark::DoNotOptimize(nowNs());
        }
        for (int i = 0; i < values; ++i) {
            histogram.record(value = nextValue(value));
        }
    }
    const double nanoseconds = static_cast<double>(nowNs() - start) / static_cast<double>(state.iterations());
    const auto percentOf = [&](double microseconds) { return nanoseconds / 10.0 / microseconds; };
    state.counters["percent_of_2_us"] = percentOf(2);
    state.counters["percent_of_30_us"] = percentOf(30);
    state.counters["percent_of_100_us"] = percentOf(100);
    state.counters["percent_of_4k60_frame"] = percentOf(1e6 / 60);
}

/// Between submit and receive: the time stamps of posting and arrival lie inside the hand-off that they
/// measure, as does the source's own value. The shortest promised hand-offs take 2 us (polling) and 30 us.
void TimingInsideAHandOff(benchmark::State& state) {
    timingOf<LatencyRecorder>(state, 2, 1);
}
BENCHMARK(TimingInsideAHandOff);

/// All timing of a frame on both sides, to be compared with a frame's CPU time (100 us are promised for shm).
void TimingOfAFrame(benchmark::State& state) {
    timingOf<LatencyRecorder>(state, 6, 6);
}
BENCHMARK(TimingOfAFrame);

/// The same in `bench stages`, to be compared with the time between frames.
void TimingOfAFrameInStages(benchmark::State& state) {
    timingOf<LatencyHistogram>(state, 16, 15);
}
BENCHMARK(TimingOfAFrameInStages);

}  // namespace
}  // namespace verbcast::testing

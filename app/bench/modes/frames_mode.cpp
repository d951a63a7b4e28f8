// verbcast bench frames: a row for each transport, size and format.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/modes/frame_run.h"
#include "app/bench/workers/bench_transports.h"
#include "app/bench/workers/worker.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

constexpr Rational kLatencyRate{60, 1};
/// A transport that is busy nearly all the time queues frames too.
constexpr double kHeadroom = 1.25;

/// Without headroom, latency at the rate would be the wait in queues: a note says how to measure it.
bool carriesRate(const FrameRow& row, BenchReport& report) {
    if (row.fps >= kHeadroom * kLatencyRate.value()) {
        return true;
    }
    const double slower = std::floor(row.fps / kHeadroom * 10) / 10;
    report.notes.push_back(
        fmt::format("{} {}x{} {}: latency at {:g} fps is not measured, since {:.1f} fps is the most that it "
                    "carries; {}",
                    row.transport, row.width, row.height, row.pixelFormat, kLatencyRate.value(), row.fps,
                    slower > 0 ? fmt::format("--fps {:g} measures it", slower) : "choose a smaller --size"));
    return false;
}

/// Throws if there is no GPU, or not enough memory on it for a case.
void requireGpu(const BenchOptions& options, const std::vector<FrameCase>& cases, BenchReport& report) {
    std::uint64_t most = 1;
    for (const FrameCase& frames : cases) {
        most = std::max(most, ringBytes(options, frames));
    }
    report.notes.push_back("the rings of both ends are in the memory of " +
                           gpuAllocator(chosenGpu())->allocate(most)->deviceName());
}

}  // namespace

void benchFrames(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    std::vector<std::string> transports = usableTransports(options, report);
    if (options.damage) {
        std::erase_if(transports, [&](const std::string& scheme) {
            const bool shares = transportHas(scheme, &Transport::sharesMemory);
            if (shares) {
                report.notes.push_back(
                    fmt::format("{} is left out: with --damage it moves nothing in any case", scheme));
            }
            return shares;
        });
    }
    std::vector<FrameCase> cases;
    for (const PictureSize& size : options.sizesOr({kFrameSize})) {
        for (const PixelFormat format : options.formats) {
            for (const std::string& scheme : transports) {
                cases.push_back({.scheme = scheme, .size = size, .pixelFormat = format});
            }
        }
    }
    // Report a lack of memory before the first case runs.
    for (const FrameCase& frames : cases) {
        requireRoom(options, frames);
    }
    if (options.deviceMemory) {
        requireGpu(options, cases, report);
    }
    const Burners burners(options.load);
    BenchOptions atRate = options;
    atRate.fps = kLatencyRate;
    const std::size_t steps = cases.size() * (options.latencyApart ? 2 : 1);
    std::size_t done = 0;
    for (const FrameCase& frames : cases) {
        const auto say = [&](const std::string& text) { progress.step(done + 1, steps, text); };
        const auto measure = options.damage ? measureDamageRow : measureRow;
        const bool measured = !interruptEvent().isSet() && measure(options, frames, report, say);
        ++done;
        if (measured && options.latencyApart && !interruptEvent().isSet() &&
            carriesRate(report.rows.back(), report)) {
            measure(atRate, frames, report, say);
        }
        done += options.latencyApart ? 1 : 0;
    }
}

}  // namespace verbcast

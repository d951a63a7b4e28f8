// verbcast bench scale: how the cost of a frame grows with the picture and with the number of streams.
#include <fmt/format.h>

#include "app/bench/bench_modes.h"
#include "app/bench/frame_run.h"
#include "app/bench/worker.h"
#include "app/interrupt.h"

namespace verbcast {
namespace {

/// 1, 2, 4, ... and the number asked for.
std::vector<std::uint32_t> streamCounts(std::uint32_t most) {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t count = 1; count < most; count *= 2) {
        counts.push_back(count);
    }
    counts.push_back(most);
    return counts;
}

/// The sizes with one stream, then the streams of one size; no case twice.
std::vector<FrameCase> casesOf(const BenchOptions& options, const std::string& scheme, PixelFormat format) {
    const std::vector<BenchSize> sizes =
        options.sizes.empty() ? std::vector<BenchSize>{{1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}}
                              : options.sizes;
    const BenchSize streamSize = options.sizes.empty() ? BenchSize{1920, 1080} : options.sizes.front();
    std::vector<FrameCase> cases;
    for (const BenchSize& size : sizes) {
        cases.push_back({.scheme = scheme, .size = size, .pixelFormat = format, .streams = 1});
    }
    for (const std::uint32_t count : streamCounts(options.streams)) {
        if (count > 1) {
            cases.push_back({.scheme = scheme, .size = streamSize, .pixelFormat = format, .streams = count});
        }
    }
    return cases;
}

}  // namespace

void benchScale(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    std::vector<FrameCase> cases;
    for (const std::string& scheme : usableTransports(options, report)) {
        for (const PixelFormat format : options.formats) {
            for (const FrameCase& frames : casesOf(options, scheme, format)) {
                const std::string problem = memoryProblem(ringBytes(options, frames));
                // What was asked for must fit; of our own list, what does not is left out.
                if (!options.sizes.empty()) {
                    requireRoom(options, frames);
                }
                if (problem.empty()) {
                    cases.push_back(frames);
                } else {
                    report.notes.push_back(frames.text() + " is left out: " + problem);
                }
            }
        }
    }
    const Burners burners(options.load);
    for (std::size_t i = 0; i < cases.size() && !interruptEvent().isSet(); ++i) {
        measureRow(options, cases[i], report,
                   [&](const std::string& text) { progress.step(i + 1, cases.size(), text); });
    }
}

}  // namespace verbcast

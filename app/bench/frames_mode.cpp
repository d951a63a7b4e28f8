// verbcast bench frames: a row for each transport, size and format.
#include "app/bench/bench_modes.h"
#include "app/bench/frame_run.h"
#include "app/bench/worker.h"
#include "app/interrupt.h"

namespace verbcast {

void benchFrames(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    const std::vector<std::string> transports = usableTransports(options, report);
    std::vector<FrameCase> cases;
    const std::vector<BenchSize> sizes = options.sizes.empty() ? std::vector{BenchSize{}} : options.sizes;
    for (const BenchSize& size : sizes) {
        for (const PixelFormat format : options.formats) {
            for (const std::string& scheme : transports) {
                cases.push_back({.scheme = scheme, .size = size, .pixelFormat = format, .streams = 1});
            }
        }
    }
    // Told before the first of them runs.
    for (const FrameCase& frames : cases) {
        requireRoom(options, frames);
    }
    const Burners burners(options.load);
    for (std::size_t i = 0; i < cases.size() && !interruptEvent().isSet(); ++i) {
        measureRow(options, cases[i], report,
                   [&](const std::string& text) { progress.step(i + 1, cases.size(), text); });
    }
}

}  // namespace verbcast

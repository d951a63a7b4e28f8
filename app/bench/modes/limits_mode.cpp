// verbcast bench limits: measures memory, a pipe, sockets and common tools with frames of that size.
#include <array>
#include <span>
#include <vector>

#include "app/bench/modes/frame_run.h"
#include "app/bench/workers/worker.h"

namespace verbcast {
namespace {

struct NamedLimit {
    const char* name;
    MeasureLimit measure;
};

constexpr std::array<NamedLimit, 3> kDeviceLimits{{{"cuMemcpyDtoH", measureCopyToHost},
                                                   {"cuMemcpyHtoD", measureCopyToDevice},
                                                   {"ib_write_bw --use_cuda", measureIbWriteBwCuda}}};

constexpr std::array<NamedLimit, 7> kLimits{{{"memcpy", measureMemcpy},
                                             {"non-temporal copy", measureNonTemporalCopy},
                                             {"one process", measureOneProcess},
                                             {"pipe", measurePipe},
                                             {"plain TCP", measurePlainTcp},
                                             {"iperf3", measureIperf3},
                                             {"ib_write_bw", measureIbWriteBw}}};

}  // namespace

LimitJob limitJobFor(const BenchOptions& options, std::uint64_t frameBytes) {
    return {.frameBytes = frameBytes,
            .slots = options.slots,
            .frames = options.frames,
            .seconds = options.seconds,
            .pin = options.pin,
            .device = options.device};
}

RowLimit limitOf(const Transport& transport, Verify verify) {
    if (transport.needsRdma) {
        return {measureIbWriteBw, false};
    }
    const bool checks = verify == Verify::Full;
    if (transport.sharesMemory) {
        return {checks ? measureOneProcess : measureMemcpy, checks};
    }
    return {checks ? measureCheckedTcp : measurePlainTcp, checks};
}

void benchLimits(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    std::vector<FrameCase> cases;
    for (const PictureSize& size : options.sizesOr({kFrameSize})) {
        for (const PixelFormat format : options.formats) {
            cases.push_back({.size = size, .pixelFormat = format});
            requireRoom(options, cases.back());
        }
    }
    const Burners burners(options.load);
    // Alternate, so that a machine that slows down meanwhile affects all limits.
    const std::span<const NamedLimit> wanted =
        options.deviceMemory ? std::span<const NamedLimit>(kDeviceLimits) : kLimits;
    const std::size_t count = cases.size() * options.repeat * wanted.size();
    std::size_t done = 0;
    for (const FrameCase& frames : cases) {
        std::vector<std::vector<Limit>> runs(wanted.size());
        for (std::uint32_t round = 0; round < options.repeat; ++round) {
            for (std::size_t i = 0; i < wanted.size() && !interruptEvent().isSet(); ++i) {
                progress.step(++done, count, wanted[i].name);
                Limit limit = wanted[i].measure(limitJobFor(options, frames.frameBytes()));
                if (limit.gigabytesPerSecond > 0 || !interruptEvent().isSet()) {
                    runs[i].push_back(std::move(limit));
                }
            }
        }
        for (std::vector<Limit>& limits : runs) {
            if (limits.empty()) {
                continue;
            }
            Limit limit = medianBy(std::move(limits), &Limit::gigabytesPerSecond);
            limit.name += ", " + frames.pictureText();
            report.limits.push_back(std::move(limit));
        }
    }
}

}  // namespace verbcast

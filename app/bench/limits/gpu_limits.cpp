// Measures cuMemcpy alone between pinned memory and a GPU's memory.
#include "app/bench/limits/limit_clock.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

/// Copies frames between rings as large as those under test.
double copyRateOver(const LimitJob& job, bool toHost) {
    DevicePool ring = makeGpuRing(chosenGpu(), job.frameBytes, job.slots);
    const auto host = touchedRing(job);
    const auto pinned = ring.device().pin(host->memory());
    return rateOfThread(job, job.pin.empty() ? -1 : job.pin.front(), [&](LimitClock& clock) {
        std::uint64_t frame = 0;
        const auto next = [&] {
            const auto slot = static_cast<std::uint32_t>(frame++ % ring.slotCount());
            const std::span<std::byte> bytes(host->slotData(slot), job.frameBytes);
            const std::uint64_t place = slot * ring.slotBytes();
            toHost ? ring.device().read(place, bytes) : ring.device().write(place, bytes);
        };
        while (frame < warmUpFrames(job)) {
            next();
        }
        clock.begin();
        do {
            next();
        } while (clock.countFrame());
    });
}

constexpr const char* kOneCopy = "one copy at a time, pinned memory";

}  // namespace

GpuCopyLimits measureGpuCopies(const LimitJob& job) {
    return {measureGpuCopy(job, GpuDirection::ToHost), measureGpuCopy(job, GpuDirection::ToDevice)};
}

Limit measureGpuCopy(const LimitJob& job, GpuDirection direction) {
    const bool toHost = direction == GpuDirection::ToHost;
    return limitFrom(toHost ? "cuMemcpyDtoH" : "cuMemcpyHtoD", kOneCopy,
                     [&] { return copyRateOver(job, toHost); });
}

}  // namespace verbcast

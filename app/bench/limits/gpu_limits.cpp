// What cuMemcpy alone reaches between pinned memory and a GPU's.
#include "app/bench/limits/limit_clock.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

/// Frames from and to rings as large as those under test.
double copyRateOver(const LimitJob& job, bool toHost) {
    DevicePool ring = makeGpuRing(0, job.frameBytes, job.slots);
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
    return {limitFrom("cuMemcpyDtoH", kOneCopy, [&] { return copyRateOver(job, true); }),
            limitFrom("cuMemcpyHtoD", kOneCopy, [&] { return copyRateOver(job, false); })};
}

}  // namespace verbcast

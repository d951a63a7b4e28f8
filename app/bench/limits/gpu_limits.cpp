// Measures cuMemcpy alone between pinned memory and a GPU's memory.
#include "app/bench/limits/limit_clock.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/pinning.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

/// Copies frames between rings as large as those under test.
Limit copyLimit(const LimitJob& job, const std::string& name, bool toHost) {
    return limitFrom(name, "one copy at a time, pinned memory", [&] {
        DevicePool ring = makeGpuRing(chosenGpu(), job.frameBytes, job.slots);
        const auto host = touchedRing(job.frameBytes, job.slots);
        const auto pinned = ring.device().pin(host->memory());
        return rateOfThread(job, senderPin(job.pin), [&](std::uint64_t frame) {
            const auto slot = static_cast<std::uint32_t>(frame % ring.slotCount());
            const std::span<std::byte> bytes(host->slotData(slot), job.frameBytes);
            const std::uint64_t place = slot * ring.slotBytes();
            toHost ? ring.device().read(place, bytes) : ring.device().write(place, bytes);
        });
    });
}

}  // namespace

Limit measureCopyToHost(const LimitJob& job) {
    return copyLimit(job, "cuMemcpyDtoH", true);
}

Limit measureCopyToDevice(const LimitJob& job) {
    return copyLimit(job, "cuMemcpyHtoD", false);
}

}  // namespace verbcast

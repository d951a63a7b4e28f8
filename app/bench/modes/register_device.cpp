// bench register --memory device: compares registering a frame's memory in a GPU each time with copying the
// frame into a main-memory ring that is registered already, as is done where a GPU's memory cannot be
// registered.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "app/bench/modes/register_mode.h"
#include "app/bench/modes/register_times.h"
#include "app/bench/report/report_text.h"
#include "app/bench/workers/worker.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"
#include "core/memory/frame_pool.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kGpuBlock = 2ULL << 20;  // granularity of allocations

/// Returns nullopt if interrupted.
std::optional<RegisterPoint> measureInDevice(RegistrationProbe& probe, const DeviceAllocator& gpu,
                                             std::uint64_t bytes, std::uint32_t load,
                                             const BenchOptions& options) {
    RegisterPoint point{.device = probe.device(), .pages = kGpuPages, .load = load, .bytes = bytes};
    const auto frame = gpu.allocate(bytes);
    const auto ring = FramePool::create({.slotBytes = bytes, .slotCount = 1});
    const auto pinned = frame->pin(ring->memory());
    const auto registered = probe.keepRegistered(ring->memory()->bytes());
    std::vector<std::int64_t> copying, registering, deregistering;
    const bool enough = repeat(options,
                               [&](std::size_t) {
                                   const TimestampNs begin = nowNs();
                                   frame->read(0, {ring->slotData(0), bytes});
                                   copying.push_back(nowNs() - begin);
                               }) &&
                        repeat(options, [&](std::size_t) {
                            const DeviceRegistration done = probe.measure(*frame);
                            registering.push_back(done.times.registering.count());
                            deregistering.push_back(done.times.deregistering.count());
                            point.way = done.way;
                        });
    point.copyUs = medianUs(copying);
    point.registerUs = medianUs(registering);
    point.deregisterUs = medianUs(deregistering);
    return enough ? std::optional(point) : std::nullopt;
}

/// Returns false if interrupted.
bool measureAll(RegistrationProbe& probe, const DeviceAllocator& gpu, const std::vector<std::uint64_t>& sizes,
                std::uint32_t load, const BenchOptions& options, BenchReport& report,
                const std::function<void(std::uint64_t)>& say) {
    const std::size_t first = report.registrations.size();
    bool finished = true;
    for (const std::uint64_t bytes : sizes) {
        say(bytes);
        try {
            const auto point = measureInDevice(probe, gpu, bytes, load, options);
            finished = point.has_value();
            if (!finished) {
                break;
            }
            report.registrations.push_back(*point);
        } catch (const Error& error) {
            // Keep what was measured, unless there is nothing.
            if (error.kind() != ErrorKind::Resource || report.registrations.size() == first) {
                throw;
            }
            report.notes.push_back(
                fmt::format("{} and more are left out: {}", bytesText(bytes), error.what()));
            break;
        }
    }
    addCrossover(report, std::span(report.registrations).subspan(first));
    return finished;
}

}  // namespace

std::vector<std::uint64_t> deviceRegisterSizes() {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = kGpuBlock; bytes <= 512ULL << 20; bytes *= 4) {
        sizes.push_back(bytes);
    }
    return sizes;
}

void registerDeviceRange(RegistrationProbe& probe, const DeviceAllocator& gpu,
                         const std::vector<std::uint64_t>& sizes, const BenchOptions& options,
                         BenchReport& report, BenchProgress& progress) {
    std::vector<std::uint32_t> loads{0};
    if (options.load > 0) {
        loads.push_back(options.load);
    }
    std::size_t done = 0;
    bool finished = true;
    for (const std::uint32_t load : loads) {
        const Burners burners(load);
        finished =
            finished && measureAll(probe, gpu, sizes, load, options, report, [&](std::uint64_t bytes) {
                progress.step(++done, sizes.size() * loads.size(),
                              fmt::format("{}, memory of {}, {}: {}", probe.device(), gpu.deviceName(),
                                          load == 0 ? "idle" : counted(load, "burner"), bytesText(bytes)));
            });
    }
    report.notes.push_back(fmt::format(
        "the memory is that of {}; the ring is in main memory, registered and pinned before: copying into it "
        "is one copy over PCIe, by the GPU",
        gpu.deviceName()));
    if (!report.registrations.empty()) {
        report.notes.push_back(fmt::format("{} registers it {}", probe.device(),
                                           report.registrations.front().way == "dma-buf"
                                               ? "as a dma-buf, made anew each time"
                                               : "by its address (nvidia-peermem)"));
    }
}

}  // namespace verbcast

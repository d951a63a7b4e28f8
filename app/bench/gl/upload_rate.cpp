#include "app/bench/gl/upload_rate.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/stages/stage_meter.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/offscreen_context.h"
#include "render/stream_renderer.h"
#include "render/upload/upload_choice.h"

namespace verbcast {
namespace {

// Pictures come from another process or host, so they are not in this processor's caches: use so many slots
// that none is still cached when its turn comes again.
constexpr std::size_t kBeyondCaches = std::size_t{256} << 20;
constexpr std::size_t kFewestSlots = 4, kMaxSlots = 64;
constexpr std::int64_t kMeasuredNs = 1'000'000'000;
constexpr std::uint64_t kFewestFrames = 8;
constexpr std::uint64_t kMaxFrames = 10'000;

/// Requires a current OpenGL context.
UploadRate measure(const VideoFormat& format, bool inGpu) {
    StreamRenderer renderer;
    const auto slots =
        static_cast<std::uint32_t>(std::clamp(kBeyondCaches / format.payloadBytes, kFewestSlots, kMaxSlots));
    const auto ring = inGpu ? makeGpuFramePool(gpuOfGl(), format.payloadBytes, slots)
                            : touchedRing(format.payloadBytes, slots);
    std::vector<FrameLease> leases;
    while (auto lease = ring->tryAcquire()) {
        leases.push_back(std::move(*lease));
    }
    std::size_t frame = 0;
    const auto upload = [&] {
        renderer.take(format, leases[frame++ % leases.size()], PictureChanges::all(), [] { return true; });
        finishGl();
    };
    do {
        upload();
    } while (renderer.uploadReport().path == UploadPath::Measure);
    StageMeter meter;
    const TimestampNs start = nowNs();
    for (std::uint64_t frames = 0;
         frames < kFewestFrames || (nowNs() - start < kMeasuredNs && frames < kMaxFrames); ++frames) {
        const Moment begin = Moment::now();
        upload();
        meter.record(begin, Moment::now());
    }
    return {.path = nameOf(renderer.uploadReport().path), .cost = meter.cost()};
}

}  // namespace

UploadRate measureUpload(const VideoFormat& format, bool inGpu) {
    const OffscreenContext context;
    return measure(format, inGpu);
}

nlohmann::json measureUploadRate(const VideoFormat& format) {
    const OffscreenContext context;
    const UploadRate rate = measure(format, false);
    return {{"renderer", glRendererName()},
            {"path", rate.path},
            {"gigabytes_per_second", static_cast<double>(format.payloadBytes) * 1e-3 / rate.cost.wallUs},
            {"frames_per_second", 1e6 / rate.cost.wallUs}};
}

}  // namespace verbcast

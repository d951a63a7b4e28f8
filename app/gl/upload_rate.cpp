#include "app/gl/upload_rate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/clock.h"
#include "core/pool/frame_pool.h"
#include "render/offscreen_context.h"
#include "render/offscreen_target.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kSlots = 4;
constexpr std::int64_t kMeasuredNs = 1'000'000'000;
constexpr std::size_t kFewestFrames = 8;
constexpr std::size_t kMostFrames = 10'000;

double medianNs(std::vector<TimestampNs> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return static_cast<double>(*middle);
}

}  // namespace

nlohmann::json measureUploadRate(const VideoFormat& format) {
    const OffscreenContext context;
    StreamRenderer renderer;
    const auto ring = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = kSlots});
    std::memset(ring->memory().data(), 0x55, ring->memory().size());
    std::uint32_t slot = 0;
    const auto upload = [&] {
        const TimestampNs start = nowNs();
        renderer.upload(format, ring->slotData(slot++ % kSlots));
        finishGl();
        return nowNs() - start;
    };
    do {
        upload();
    } while (renderer.uploadReport().path == UploadPath::Measure);
    std::vector<TimestampNs> times;
    const TimestampNs start = nowNs();
    while (times.size() < kFewestFrames || (nowNs() - start < kMeasuredNs && times.size() < kMostFrames)) {
        times.push_back(upload());
    }
    const double nanoseconds = medianNs(std::move(times));
    return {{"renderer", glRendererName()},
            {"path", renderer.uploadReport().path == UploadPath::Direct ? "direct" : "persistent PBO"},
            {"gigabytes_per_second", static_cast<double>(format.payloadBytes) / nanoseconds},
            {"frames_per_second", 1e9 / nanoseconds}};
}

}  // namespace verbcast

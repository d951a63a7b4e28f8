#include "app/commands/doctor/machine/stream_need.h"

#include <fmt/format.h>

#include "core/memory/frame_pool.h"

namespace verbcast {

std::string smallerStream(const StreamNeed& need) {
    const bool packed = need.bytesPerPixel > 1.6;
    const bool fast = need.fps > 30.5;
    return fmt::format("a smaller stream: verbcast send SOURCE{}{}{}", packed ? " --format nv12" : "",
                       fast ? " --fps 30" : "", packed || fast ? "" : " --size 1280x720");
}

StreamNeed streamNeed(const DoctorOptions& options) {
    const std::uint64_t frame =
        tightBytes(tightFormat(options.size.width, options.size.height, options.pixelFormat));
    StreamNeed need;
    need.name = fmt::format("{}x{} {} at {:g} fps", options.size.width, options.size.height,
                            pixelFormatName(options.pixelFormat), options.fps.value());
    need.fps = options.fps.value();
    need.bytesPerPixel = static_cast<double>(frame) / options.size.width / options.size.height;
    need.bytesPerSecond = static_cast<double>(frame) * options.fps.value();
    need.ringBytes = kRingSlots * slotBytesFor(frame);
    return need;
}

}  // namespace verbcast

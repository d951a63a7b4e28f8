#include "app/doctor/stream_need.h"

#include <fmt/format.h>

#include "core/pool/frame_pool.h"

namespace verbcast {

StreamNeed streamNeed(const DoctorOptions& options) {
    const std::uint64_t frame = tightBytes(tightFormat(options.width, options.height, options.pixelFormat));
    StreamNeed need;
    need.name = fmt::format("{}x{} {} at {:g} fps", options.width, options.height,
                            pixelFormatName(options.pixelFormat), options.fps.value());
    need.pixelsPerSecond = static_cast<double>(options.width) * options.height * options.fps.value();
    need.bytesPerSecond = static_cast<double>(frame) * options.fps.value();
    need.ringBytes = kRingSlots * slotBytesFor(frame);
    return need;
}

}  // namespace verbcast

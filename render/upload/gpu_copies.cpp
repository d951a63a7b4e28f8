#include "render/upload/gpu_copies.h"

#include "core/base/error.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {

GpuCopies::GpuCopies() : gpu_(gpuOfGl()), device_(gpuAllocator(gpu_)) {}

void GpuCopies::copy(const FrameLease& slot, std::span<const PixelRows> parts, GlPixels& into) {
    if (!isInDevice(slot)) {
        pin(slot.pool()->memory());
        into.fill(slot.data(), parts);
        return;
    }
    if (const std::string& holder = slot.pool()->memory()->device()->deviceName();
        holder != device_->deviceName()) {
        throw Error(ErrorKind::Device,
                    "the frame is in the memory of " + holder + ", and " + device_->deviceName() + " draws");
    }
    into.fill(DeviceLease::of(slot.share()).address(), parts);
}

void GpuCopies::pin(const std::shared_ptr<const Memory>& memory) {
    if (pinned_ && pinnedOf_.lock() == memory) {
        return;
    }
    pinned_.reset();
    pinned_ = pinForGpu(gpu_, memory);
    pinnedOf_ = memory;
}

GpuStaging::GpuStaging(int gpu, std::size_t pictureBytes) {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.get());
    glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(pictureBytes), nullptr, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    pixels = registerGlBuffer(gpu, buffer.get());
}

}  // namespace verbcast

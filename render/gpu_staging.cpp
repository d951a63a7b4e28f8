#include "render/gpu_staging.h"

#include "core/base/error.h"
#include "core/gpu/gl_picture.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {

GpuStaging::GpuStaging(std::size_t pictureBytes)
    : gpu_(gpuOfGl()), device_(gpuAllocator(gpu_)), buffer_(GlBuffer::create()) {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
    glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(pictureBytes), nullptr, GL_STREAM_DRAW);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    pixels_ = registerGlPixels(gpu_, buffer_.get());
}

GpuStaging::~GpuStaging() = default;

void GpuStaging::begin(const FrameLease& slot, std::span<const PixelRows> parts) {
    if (isInDevice(slot)) {
        if (const std::string& holder = slot.pool()->memory()->device()->deviceName();
            holder != device_->deviceName()) {
            throw Error(ErrorKind::Device, "the frame is in the memory of " + holder + ", and " +
                                               device_->deviceName() + " draws");
        }
        pixels_->fill(DeviceLease::of(slot.share()).address(), parts);
    } else {
        pin(slot.pool()->memory());
        pixels_->fill(slot.data(), parts);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
}

void GpuStaging::end() {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void GpuStaging::pin(const std::shared_ptr<const Memory>& memory) {
    if (pinned_ && pinnedOf_.lock() == memory) {
        return;
    }
    pinned_.reset();
    pinned_ = pinForGpu(gpu_, memory);
    pinnedOf_ = memory;
}

}  // namespace verbcast

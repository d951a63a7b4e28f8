#include "capture/media/decode/gpu_pictures.h"

#include <algorithm>
#include <array>
#include <span>

#include "capture/media/decode/hardware_device.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kSlotsToFill = 1;

}  // namespace

std::string GpuPictures::makeRoom(std::uint64_t bytes) {
    if (pool_ && pool_->slotBytes() >= bytes) {
        return {};
    }
    if (!copy_) {
        copy_ = makeGpuCopy(chosenGpu());
    }
    try {
        const auto slots =
            std::min<std::uint32_t>(consumerSlots_ + kSlotsToFill, static_cast<std::uint32_t>(kMaxSlots));
        pool_ = makeGpuFramePool(chosenGpu(), bytes, slots);
        return {};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Resource) {
            throw;
        }
        return error.what();
    }
}

Status GpuPictures::copy(const AVFrame& surface, const VideoFormat& format, const Event& cancel,
                         FrameLease& lease) {
    FrameLease free;
    if (const Status status = pool_->acquire(free, cancel); status != Status::Ok) {
        return status;
    }
    DeviceLease slot = DeviceLease::of(std::move(free));
    std::array<GpuRows, std::tuple_size_v<decltype(format.planes)>> rows;
    const std::size_t planes = pixelFormatInfo(format.pixelFormat).planeCount;
    for (std::size_t plane = 0; plane < planes; ++plane) {
        // FFmpeg stores addresses of the GPU in these pointers.
        rows.at(plane) = {
            .from = DeviceMemoryAddress{reinterpret_cast<std::uintptr_t>(surface.data[plane])},
            .fromStride = static_cast<std::uint64_t>(surface.linesize[plane]),
            .into = slot.address() + format.planes.at(plane).offset,
            .intoStride = format.planes.at(plane).stride,
            .rowBytes = tightRowBytes(format, plane),
            .rows = planeRows(format, plane),
        };
    }
    copy_->copy(std::span(rows).first(planes));
    lease = std::move(slot).release();
    return Status::Ok;
}

}  // namespace verbcast

// Pictures that stay in the memory of the GPU that decoded them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/os/event.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/frame_pool.h"
#include "core/video/video_format.h"

namespace verbcast {

/// A ring in the memory of a GPU. Used by one thread.
class GpuPictures {
  public:
    /// `consumerSlots`: of the ring, beside the one that is being filled.
    explicit GpuPictures(std::uint32_t consumerSlots) : consumerSlots_(consumerSlots) {}

    /// Finds room for pictures of that size, in a larger ring if need be; leases on the previous one stay
    /// valid. Returns why there is none: the GPU is short of memory; "" if there is. Throws Error{Device}.
    [[nodiscard]] std::string makeRoom(std::uint64_t bytes);

    /// Copies the planes of a surface of NVIDIA's decoder into a free slot, where `format` places them: once,
    /// by the GPU; returns when they are there. Waits for the consumers if need be. Ok or Cancelled. Call
    /// after makeRoom(). Throws Error{Device} when the GPU fails.
    Status copy(const AVFrame& surface, const VideoFormat& format, const Event& cancel, FrameLease& lease);

  private:
    const std::uint32_t consumerSlots_;
    std::unique_ptr<GpuCopy> copy_;  // made with the first ring
    std::shared_ptr<FramePool> pool_;
};

}  // namespace verbcast

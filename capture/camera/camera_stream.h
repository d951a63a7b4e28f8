// A camera that is plugged in and set to a mode, with the pool that its pictures go to.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "capture/camera/v4l2_device.h"
#include "core/pool/frame_pool.h"

namespace verbcast {

/// The device writes into the pool's slots itself (user memory) where its driver can: then buffer N is slot
/// N, so that a driver that remembers a buffer's address maps it once, and every free slot is in the device's
/// hands. Else each picture is copied out of the driver's memory. Used by one thread.
class CameraStream {
  public:
    /// Opens the camera and sets the mode. Takes `pool` (may be null) over when it is large enough, so that
    /// who has it registered need not do so again. Throws Error{Device}, Error{Resource}.
    CameraStream(const std::string& path, const CameraWish& wish, std::uint32_t slots,
                 const std::shared_ptr<FramePool>& pool);

    const std::string& card() const { return device_.card(); }
    const VideoFormat& format() const { return format_; }
    const std::shared_ptr<FramePool>& pool() const { return pool_; }
    bool copies() const { return memory_ == CameraMemory::Mapped; }
    /// What of the wish is not met, and what else a person should know.
    const std::vector<std::string>& notes() const { return notes_; }

    /// The next picture. Waits for it, from the first call on with the device streaming. TimedOut: the camera
    /// gave none for so long. Closed: it is gone or has failed, see device().
    Status next(FrameLease& lease, FilledBuffer& filled, std::chrono::nanoseconds timeout,
                const Event& cancel);

    /// Gives pictures that wait back to the device, unseen.
    void dropBacklog();

    const V4l2Device& device() const { return device_; }

  private:
    void setMode(const CameraWish& wish);
    bool prepareUserMemory(std::uint32_t slots, const std::shared_ptr<FramePool>& pool);
    void prepareMappedMemory(std::uint32_t slots, const std::shared_ptr<FramePool>& pool);
    void usePool(std::uint32_t slots, std::uint64_t slotBytes, const std::shared_ptr<FramePool>& pool);
    bool handOverFreeSlots();
    bool giveBack(std::uint32_t buffer);
    bool wait(std::chrono::nanoseconds timeout, const Event& cancel);
    Status take(FrameLease& lease, const FilledBuffer& filled, const Event& cancel);

    CameraMemory memory_ = CameraMemory::User;
    std::uint64_t imageBytes_ = 0;
    VideoFormat format_;
    std::vector<std::string> notes_;
    std::shared_ptr<FramePool> pool_;
    std::vector<FrameLease> inDevice_;  // by buffer: slots that the device may write into
    std::uint32_t queued_ = 0;          // buffers that the device has
    bool streaming_ = false;
    V4l2Device device_;  // last: closed before the slots are given back
};

}  // namespace verbcast

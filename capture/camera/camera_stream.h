// A camera that is plugged in and set to a mode, with the slots that its pictures go to.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/camera/camera_decoder.h"
#include "capture/camera/v4l2_device.h"
#include "capture/frame_source.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// The device writes into the pool's slots itself (user memory) where its driver can: then buffer N is slot
/// N, so that a driver that remembers a buffer's address maps it once, and every free slot is in the device's
/// hands. Else each picture is copied out of the driver's memory. What the camera has compressed is decoded
/// out of the driver's memory into slots of the allocator's. Used by one thread.
class CameraStream {
  public:
    struct Slots {
        std::uint32_t count = 8;          ///< frames in flight
        std::shared_ptr<FramePool> pool;  ///< of the stream before (may be null): taken over when it is large
                                          ///< enough, so that who has it registered need not do so again
        SlotAllocator* allocator = nullptr;  ///< of the source; outlives the stream
        int decoderThreads = 0;              ///< 0: one per processor
    };

    /// Opens the camera and sets the mode. Throws Error{Device}, Error{Input} (no decoder), Error{Resource}.
    CameraStream(const std::string& path, const CameraWish& wish, const Slots& slots);

    const std::string& card() const { return device_.card(); }
    std::uint32_t fourCc() const { return fourCc_; }
    /// Nothing when the pictures are compressed: each one says what it is.
    const std::optional<VideoFormat>& format() const { return format_; }
    /// Null when they are.
    const std::shared_ptr<FramePool>& pool() const { return pool_; }
    /// What of the wish is not met, and what else a person should know.
    const std::vector<std::string>& notes() const { return notes_; }

    /// The next picture: lease, format and flags of `frame`. Waits for it, from the first call on with the
    /// device streaming. Counts copies, and pictures that cannot be decoded, which are left out. TimedOut:
    /// the camera gave none for so long. Closed: it is gone or has failed, see device().
    Status next(CapturedFrame& frame, FilledBuffer& filled, std::chrono::nanoseconds timeout,
                const Event& cancel, SourceCounters& counters);

    /// Gives pictures that wait back to the device, unseen.
    void dropBacklog();

    const V4l2Device& device() const { return device_; }

  private:
    void setMode(const CameraWish& wish, const Slots& slots);
    bool prepareUserMemory(std::uint32_t slots, const std::shared_ptr<FramePool>& pool);
    void prepareMappedMemory(std::uint32_t slots, const std::shared_ptr<FramePool>& pool);
    void usePool(std::uint32_t slots, std::uint64_t slotBytes, const std::shared_ptr<FramePool>& pool);
    bool handOverFreeSlots();
    bool giveBack(std::uint32_t buffer);
    bool wait(std::chrono::nanoseconds timeout, const Event& cancel);
    Status take(CapturedFrame& frame, const FilledBuffer& filled, const Event& cancel,
                SourceCounters& counters);
    Status copyOut(FrameLease& lease, std::span<const std::byte> picture, const Event& cancel);
    Status decode(CapturedFrame& frame, const FilledBuffer& filled, const Event& cancel,
                  SourceCounters& counters);
    void addNote(const std::string& note);

    CameraMemory memory_ = CameraMemory::User;
    std::uint32_t fourCc_ = 0;
    std::uint64_t imageBytes_ = 0;
    std::optional<VideoFormat> format_;
    std::optional<CameraDecoder> decoder_;  // exactly when there is no format_
    std::vector<std::string> notes_;
    std::shared_ptr<FramePool> pool_;
    std::vector<FrameLease> inDevice_;  // by buffer: slots that the device may write into
    std::uint32_t queued_ = 0;          // buffers that the device has
    bool streaming_ = false;
    V4l2Device device_;  // last: closed before the slots are given back
};

}  // namespace verbcast

// A connected camera, set to a mode, with the slots that receive its pictures.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/camera/camera_decoder.h"
#include "capture/camera/v4l2_device.h"
#include "capture/frame_source.h"
#include "core/base/os/deadline.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// The device writes directly into the pool's slots (user memory) if its driver can. Buffer N is then slot N,
/// so a driver that caches a buffer's address maps it only once, and all free slots are queued in the device.
/// If the driver cannot, but exports its own memory as dma-bufs, those become the slots: buffer N is again
/// slot N, and graphics drivers of receivers on this machine may read it in place. Otherwise each picture is
/// copied out of the driver's memory. Compressed pictures are decoded from the driver's memory into the
/// allocator's slots. Used by one thread.
class CameraStream {
  public:
    struct Slots {
        std::uint32_t count = 8;          ///< frames in flight
        std::shared_ptr<FramePool> pool;  ///< of the previous stream (may be null): reused if its slots are
                                          ///< large enough, which saves registering it again
        SlotAllocator* allocator = nullptr;  ///< the source's; must outlive the stream
        int decoderThreads = 0;              ///< 0: one per processor
        CameraMemoryChoice memory = CameraMemoryChoice::Best;
    };

    /// Opens the camera and sets the mode. Throws Error{Device}, Error{Input} (no decoder), Error{Resource}.
    CameraStream(const std::string& path, const CameraWish& wish, const Slots& slots);

    const std::string& card() const { return device_.card(); }
    std::uint32_t fourCc() const { return fourCc_; }
    /// Unset for compressed pictures: each one brings its format.
    const std::optional<VideoFormat>& format() const { return format_; }
    /// Null for compressed pictures.
    const std::shared_ptr<FramePool>& pool() const { return pool_; }
    /// What the camera cannot fulfil of the wish, and what else the user should know.
    const std::vector<std::string>& notes() const { return notes_; }

    /// Waits for the next picture and fills lease, format and flags of `frame`. The first call starts
    /// streaming. Counts copies, pictures that the camera had no buffer for, and undecodable ones, which are
    /// skipped. TimedOut: no picture came in time. Closed: the camera is gone or has failed, see device().
    Status next(CapturedFrame& frame, FilledBuffer& filled, std::chrono::nanoseconds timeout,
                const Event& cancel, SourceCounters& counters);

    /// Returns pending pictures to the device unseen. Neither they count as lost nor others until next().
    void dropBacklog();
    /// Pictures that are lost until next() do not count.
    void countFromNext() { lastSequence_.reset(); }

    const V4l2Device& device() const { return device_; }

  private:
    void setMode(const CameraWish& wish, const Slots& slots);
    void prepareMemory(const Slots& slots);
    std::uint32_t requestRing(CameraMemory memory, const Slots& slots);
    bool prepareUserMemory(const Slots& slots);
    std::string prepareSharedMemory(const Slots& slots);
    void prepareMappedMemory(const Slots& slots);
    void usePool(const std::shared_ptr<FramePool>& pool, std::uint32_t slots, std::uint64_t slotBytes);
    void useNothing();
    bool inPlace() const { return memory_ != CameraMemory::Mapped; }
    bool handOverFreeSlots();
    bool giveBack(std::uint32_t buffer);
    bool wait(Deadline deadline, const Event& cancel);
    Status take(CapturedFrame& frame, const FilledBuffer& filled, const Event& cancel,
                SourceCounters& counters);
    void countLost(std::uint32_t sequence, SourceCounters& counters);

    CameraMemory memory_ = CameraMemory::User;
    std::uint32_t fourCc_ = 0;
    std::uint64_t imageBytes_ = 0;
    std::optional<VideoFormat> format_;
    std::optional<CameraDecoder> decoder_;  // set if format_ is not
    std::vector<std::string> notes_;
    std::shared_ptr<FramePool> pool_;
    std::vector<FrameLease> inDevice_;  // by buffer: slots that the device may write to
    std::uint32_t queued_ = 0;          // buffers queued in the device
    bool streaming_ = false;
    std::optional<std::uint32_t> lastSequence_;  // of a buffer, with a picture in it or not
    V4l2Device device_;                          // last: must close before the slots are released
};

}  // namespace verbcast

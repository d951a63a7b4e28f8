// Frames for a consumer that wants them in a device's memory.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/os/deadline.h"
#include "core/flow/path_account.h"
#include "core/flow/received_frame.h"
#include "core/stream/receive/ring_memory.h"

namespace verbcast {

/// If the path can, the sender writes into a ring of ours in the device. Else frames arrive in main memory
/// and are copied from there, once, over the bus, when the consumer takes them; or they stay there, if that
/// is wished.
class DeviceReceiver {
  public:
    /// `slots`: most frames that the consumer holds. `limit`: bytes of a ring; without one, half of the
    /// memory that the device has free when a format is announced. `copies`: frames that arrive in main
    /// memory are copied.
    DeviceReceiver(std::shared_ptr<const DeviceAllocator> device, bool copies, std::uint32_t slots,
                   std::optional<std::uint64_t> limit)
        : device_(std::move(device)), copiesFrames_(copies), slots_(slots), limit_(limit) {}

    const std::shared_ptr<const DeviceAllocator>& device() const { return device_; }
    bool copiesFrames() const { return copiesFrames_; }

    // By the thread that serves a link:
    /// Makes a ring for the sender to write into. Throws Error{Resource}, which is between this sender and
    /// the viewer, or Error{Device}, and keeps that for failure().
    std::shared_ptr<FramePool> makeRing(std::uint64_t slotBytes);
    /// Makes room for frames that will be copied, if any will, before the sender sends one. Throws as
    /// makeRing() does.
    void makeRoomForCopies(std::uint64_t slotBytes);
    /// Why the frames of this connection arrive in main memory; "": they do not.
    void framesArriveInMainMemory(const std::string& reason);

    /// Why there can be no frames; null while there can. Thread-safe.
    std::exception_ptr failure() const;
    /// Why frames of the newest connection arrive in main memory; "" if they do not. Thread-safe.
    std::string reason() const;

    /// Wakes awaitRoom(), so that it asks `ends`. Thread-safe.
    void wake();

    // By the consumer's thread:
    /// Whether land() has room: false while the consumer holds `slots` frames.
    bool hasRoom() const;
    /// Waits until land() has room, or ends() after a wake().
    Status awaitRoom(const std::function<bool()>& ends, const Deadline& deadline, const Event& cancel);
    /// Puts the frame into the device, if it is to be there, and makes it visible there. Returns false if it
    /// was taken back while it was being copied. Throws Error{Resource, Device}.
    bool land(ReceivedFrame& frame, StreamTotals& totals);

  private:
    std::shared_ptr<FramePool> makeOnDevice(std::uint64_t slotBytes);
    std::shared_ptr<FramePool> copyPool() const;
    std::shared_ptr<FramePool> copyPoolFor(std::uint64_t slotBytes);
    void endCopies();
    void pin(const DeviceMemory& device, const std::shared_ptr<const Memory>& host);

    const std::shared_ptr<const DeviceAllocator> device_;  // shared with the consumer
    const bool copiesFrames_;
    const std::uint32_t slots_;
    const std::optional<std::uint64_t> limit_;
    mutable std::mutex mutex_;  // guards what follows
    std::exception_ptr failure_;
    std::string reason_;
    std::shared_ptr<FramePool> copies_;  // what frames are copied into, and their leases; null while none are
    bool copiesEnd_ = false;             // with the first frame that needs no copy
    // For the consumer's thread:
    std::shared_ptr<const Memory> from_;  // shared with its ring: what is pinned
    std::unique_ptr<PinnedMemory> pinned_;
};

/// Rings in the device, while the path reaches it; else in main memory, from where frames are copied.
class DeviceRings final : public RingSource {
  public:
    DeviceRings(DeviceReceiver& receiver, RingMemory& memory, RingMemory::Owner owner, std::uint32_t slots,
                FramePath& path, TrackRecord& record)
        : RingSource(memory, owner, slots, path, record), receiver_(receiver) {}

    void refused(const std::string& reason) override;

  private:
    bool suits(const FramePool& ring) const override {
        return (ring.memory()->device() == nullptr) == refused_;
    }
    std::shared_ptr<FramePool> make(std::uint64_t slotBytes) override;
    void inUse(const FramePool& ring, bool sendersOwn) override;

    DeviceReceiver& receiver_;
    bool refused_ = false;  // over this connection frames cannot come into the device
};

}  // namespace verbcast

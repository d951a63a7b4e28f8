// Rings for a consumer that wants frames in a device's memory.
#pragma once

#include "core/device/device_receiver.h"
#include "core/stream/receive/ring_source.h"

namespace verbcast {

/// Rings in the device, while the path reaches it; else in main memory, from where frames are copied.
class DeviceRings final : public RingSource {
  public:
    DeviceRings(DeviceReceiver& receiver, ReceiverShared& shared, RingMemory::Owner owner, FramePath& path,
                TrackRecord& record)
        : RingSource(shared, owner, path, record), receiver_(receiver) {}

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

#include "core/device/device_rings.h"

namespace verbcast {

void DeviceRings::refused(const std::string& reason) {
    refused_ = true;
    receiver_.framesArriveInMainMemory(reason);
}

std::shared_ptr<FramePool> DeviceRings::make(std::uint64_t slotBytes) {
    if (!refused_) {
        try {
            return receiver_.makeRing(slotBytes);
        } catch (const Error& error) {
            if (receiver_.copiesFrames()) {
                throw;  // that device and no other
            }
            refused(error.what());
        }
    }
    return RingSource::make(slotBytes);
}

void DeviceRings::inUse(const FramePool& ring, bool sendersOwn) {
    const bool there = ring.memory()->device() != nullptr;
    if (sendersOwn) {
        receiver_.framesArriveInMainMemory(there ? "" : "the sender's ring lies in main memory");
    }
    if (!there) {
        receiver_.makeRoomForCopies(ring.slotBytes());
    }
}

}  // namespace verbcast

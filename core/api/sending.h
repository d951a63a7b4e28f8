// What a vc_sender and the id of a vc_slot stand for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/api/calls.h"
#include "core/api/sender.h"
#include "core/base/os/event.h"
#include "core/memory/frame_pool.h"
#include "core/stream/broadcast.h"
#include "core/stream/sound_slots.h"

namespace verbcast {

/// A track of pictures.
struct SentTrack {
    std::atomic<bool> acquiring{false}, submitting{false};  // for Turns
    std::mutex mutex;                                       // guards the rest
    VideoFormat format;
    std::uint32_t formatSerial = 0;   // rises with each format; 0: none yet
    std::shared_ptr<FramePool> pool;  // shared with the frames in flight; null: no slot was acquired yet
    std::int64_t nextPts = 0;
};

struct SenderObject {
    explicit SenderObject(const SenderOptions& given);

    const SenderOptions options;
    Event interrupt;
    std::atomic<bool> closed{false};  // interrupt stays set
    Broadcast broadcast;
    const std::string addresses;
    std::atomic<bool> waiting{false};  // one thread at a time may wait for receivers
    std::array<SentTrack, kMaxTracks> tracks;
    // For one thread at a time:
    std::atomic<bool> sendingSound{false};
    SoundSlots soundSlots;
    std::atomic<bool> takingInput{false};
    std::vector<ViewerInput> input;  // taken but not yet returned; from inputNext on
    std::size_t inputNext = 0;
};
template <>
inline constexpr const char* kHandleName<SenderObject> = "vc_sender";

inline std::shared_ptr<SenderObject> senderOf(const vc_sender* handle, const char* function) {
    return objectOf<SenderObject>(handle, function);
}

/// Outlives its sender; then only the memory is left.
struct AcquiredSlot {
    FrameLease lease;
    TimestampNs acquiredAt = 0;
    std::weak_ptr<SenderObject> sender;
    std::uint32_t track = 0;
    std::uint32_t formatSerial = 0;
};
template <>
inline constexpr const char* kHandleName<AcquiredSlot> = "vc_slot";

}  // namespace verbcast

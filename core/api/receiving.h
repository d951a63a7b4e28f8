// What a vc_receiver and a vc_lease stand for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/api/calls.h"
#include "core/api/receiver.h"
#include "core/stream/frame_receiver.h"
#include "core/transport/epoll_set.h"

namespace verbcast {

/// What the consumer of a track has had of it. For one thread at a time, except `format`.
struct Consumed {
    std::atomic<bool> taking{false};
    std::uint64_t sender = 0;   // of the frame before; 0: there was none
    std::uint64_t next = 0;     // sequence
    std::uint64_t skipped = 0;  // of IncomingStream::skipped()
    std::uint32_t formatSerial = 0;
    std::shared_ptr<const SoundFormat> sound;   // shared with the blocks of an epoch
    std::mutex mutex;                           // guards writing format here, and reading it elsewhere
    std::shared_ptr<const VideoFormat> format;  // shared likewise
};

/// What of a status is told as an event.
struct ToldState {
    StreamState state;
    std::string text, reason;
    friend bool operator==(const ToldState&, const ToldState&) = default;
};

struct ReceiverObject {
    explicit ReceiverObject(const ReceiverOptions& given);

    bool wants(std::uint32_t track, TrackContent content) const;
    /// A format that the track has not had before was taken.
    void noteFormat(TrackId track) {
        newFormats |= 1U << track;
        stream->changes().note();
    }

    const ReceiverOptions options;
    const std::shared_ptr<FrameReceiver> stream;  // shared with calls for leases
    const std::string addresses;
    std::array<Consumed, kMaxTracks> consumed;
    std::mutex shownMutex;           // held to tell the stream what was shown
    std::mutex pollMutex;            // guards polled
    std::optional<EpollSet> polled;  // once somebody polls
    std::atomic<bool> polls{false};
    std::atomic<std::uint32_t> newFormats{0};  // a bit for each track, until it is told
    // For one thread at a time:
    std::atomic<bool> takingEvent{false};
    std::uint64_t seenChanges = 0;
    std::optional<ToldState> told;
};
template <>
inline constexpr const char* kHandleName<ReceiverObject> = "vc_receiver";

inline std::shared_ptr<ReceiverObject> receiverOf(const vc_receiver* handle, const char* function) {
    return objectOf<ReceiverObject>(handle, function);
}

/// Outlives its receiver; then only the memory is left.
struct ReceivedLease {
    ReceivedLease() = default;
    ReceivedLease(const ReceivedLease&) = delete;
    ReceivedLease& operator=(const ReceivedLease&) = delete;
    ~ReceivedLease() {
        const bool inDevice = frame.lease && frame.lease.pool()->memory()->device() != nullptr;
        frame.lease = {};
        if (const auto receiver = inDevice ? stream.lock() : nullptr) {
            receiver->leaseDropped(frame.info.track);
        }
    }

    std::mutex mutex;  // guards frame.shownAt and torn
    ReceivedFrame frame;
    bool torn = false;
    std::weak_ptr<FrameReceiver> stream;
    std::array<vc_rect, kMaxFrameRects> changed{};
};
template <>
inline constexpr const char* kHandleName<ReceivedLease> = "vc_lease";

}  // namespace verbcast

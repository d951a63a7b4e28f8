// Turns what a source offers into what an audience is sent: sequences, epochs, and copies if memory cannot be
// sent directly.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/stream/audience.h"

namespace verbcast {

/// Of each track, for the thread that submits its frames; the tracks share nothing.
class Submission : private FrameCopier {
  public:
    /// For frames that must be copied.
    struct CopyLimits {
        std::chrono::nanoseconds between{0};  ///< at least
        std::uint32_t slots = UINT32_MAX;     ///< at most, and no more than the source has
    };
    explicit Submission(Audience& audience, const CopyLimits& limits)
        : audience_(audience), limits_(limits) {}
    explicit Submission(Audience& audience) : Submission(audience, CopyLimits{}) {}

    /// Gives the frame its place in its track. A format other than before begins a new epoch, whose first
    /// frame counts as changed all over.
    QueuedFrame make(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                     const FrameInfo& info);
    /// The frame that was last made for that track was not sent: frees its number.
    void unmake(TrackId track) { --tracks_[track].nextSequence; }
    /// Whether a frame in that memory finds room even if it must be copied.
    bool hasRoomFor(TrackId track, const Memory& memory) const;
    /// Returns how many receivers there are.
    std::size_t distribute(const QueuedFrame& frame) { return audience_.distribute(frame, *this); }

  private:
    struct Track {
        CurrentFormat current{};
        std::uint64_t nextSequence = 0;
        std::uint64_t firstOfEpoch = 0;
    };
    struct Copies {
        std::shared_ptr<FramePool> pool;       // shared with the frames in it
        std::unique_ptr<PinnedMemory> pinned;  // the pool's memory, for frames that come from a device
        TimestampNs last = 0;
    };
    void fill(const FrameLease& lease, const QueuedFrame& frame);
    void update(Track& track, TrackId id, const TrackFormat& format, const std::shared_ptr<FramePool>& pool);
    QueuedFrame copy(const QueuedFrame& frame, const std::string& reason) override;

    Audience& audience_;
    const CopyLimits limits_;
    std::array<Track, kMaxTracks> tracks_;
    std::array<Copies, kMaxTracks> copies_;
};

}  // namespace verbcast

// One place for the newest frame, between the receiving thread and the screen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/stream/frame_receiver.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// Holds at most one frame: a newer one replaces it at once and gives its slot back. One thread puts, one
/// takes; neither ever waits for the other. Drop policy: oldest first, counted by replaced(). What changed in
/// frames that were replaced is added to what the newest says of itself (FrameInfo::rects).
class FrameMailbox {
  public:
    /// True when the mailbox was empty: the thread that takes may be asleep and needs waking.
    bool put(ReceivedFrame frame) noexcept;

    /// The newest frame, or false when there is none since the last call.
    bool take(ReceivedFrame& frame) noexcept;

    /// A frame waits to be taken.
    bool hasFrame() const noexcept { return (middle_.load(std::memory_order_relaxed) & kFresh) != 0; }

    /// Whose frames these are; before the first is put. It outlives them. Else every frame is whole.
    void belongsTo(IncomingStream& stream) noexcept { stream_ = &stream; }
    /// See FrameReceiver. For the thread that takes.
    bool confirm(const ReceivedFrame& frame) { return stream_ == nullptr || stream_->confirm(frame); }
    /// Frames that were taken and are passed over for newer ones count as replaced.
    void passOver(std::uint64_t frames) noexcept { replaced_.fetch_add(frames, std::memory_order_relaxed); }

    /// Frames that were never taken because a newer one came.
    std::uint64_t replaced() const noexcept { return replaced_.load(std::memory_order_relaxed); }

  private:
    // A triple buffer: the writer owns cells_[back_], the reader cells_[front_], and the third cell changes
    // hands by exchanging middle_, whose kFresh bit says that it holds a frame that nobody has taken yet.
    static constexpr unsigned kFresh = 4;
    static constexpr unsigned kIndex = 3;

    IncomingStream* stream_ = nullptr;
    std::array<ReceivedFrame, 3> cells_;
    std::atomic<unsigned> middle_{1};
    unsigned back_ = 0;
    PictureChanges untaken_ =
        PictureChanges::none();  // in the frames put since the last that was surely taken
    unsigned front_ = 2;
    std::atomic<std::uint64_t> replaced_{0};
};

}  // namespace verbcast

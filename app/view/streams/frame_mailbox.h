// A single slot for the newest frame, between the receiving thread and the screen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/stream/frame_receiver.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// Holds at most one frame: a newer one replaces it at once and returns its slot. One thread puts, one takes;
/// neither waits for the other. Drop policy: oldest first, counted by replaced(). The changes of replaced
/// frames are added to those of the newest (FrameInfo::rects).
class FrameMailbox {
  public:
    /// Returns true if the mailbox was empty: the taking thread may need waking.
    bool put(ReceivedFrame frame) noexcept;

    /// Takes the newest frame. Returns false if none has come since the last call.
    bool take(ReceivedFrame& frame) noexcept;

    /// True if a frame is waiting.
    bool hasFrame() const noexcept { return (middle_.load(std::memory_order_relaxed) & kFresh) != 0; }

    /// Sets the stream that confirms frames; call before the first put(). It must outlive this. If unset,
    /// frames need no confirmation.
    void belongsTo(IncomingStream& stream) noexcept { stream_ = &stream; }
    /// See FrameReceiver. Call from the taking thread.
    bool confirm(const ReceivedFrame& frame) { return stream_ == nullptr || stream_->confirm(frame); }
    /// Counts frames that were taken but skipped for newer ones as replaced.
    void passOver(std::uint64_t frames) noexcept { replaced_.fetch_add(frames, std::memory_order_relaxed); }

    /// Frames never shown because a newer one came.
    std::uint64_t replaced() const noexcept { return replaced_.load(std::memory_order_relaxed); }

  private:
    // A triple buffer: the writer owns cells_[back_], the reader cells_[front_]; the third cell changes hands
    // by exchanging middle_, whose kFresh bit marks a frame not taken yet.
    static constexpr unsigned kFresh = 4;
    static constexpr unsigned kIndex = 3;

    IncomingStream* stream_ = nullptr;
    std::array<ReceivedFrame, 3> cells_;
    std::atomic<unsigned> middle_{1};
    unsigned back_ = 0;
    PictureChanges untaken_ =
        PictureChanges::none();  // of the frames put since the last one known to be taken
    unsigned front_ = 2;
    std::atomic<std::uint64_t> replaced_{0};
};

}  // namespace verbcast

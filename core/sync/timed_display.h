// What a display does with the frames of a sender that says when to show them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/flow/received_frame.h"
#include "core/session/messages/frame_lock.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// The display's side of PresentationGroup. Frames wait in order. One at a time is taken by next(), drawn
/// where nobody sees it yet (drawn()), shown when it is due (due()), and then reported (shown()).
///
/// Go: a frame is due at ReceivedFrame::presentAt; one whose successor is due as well is skipped. Hold: a
/// frame is due when an order says so. If the sender does not tell, what is there is due at once: only the
/// newest, unless the stream is lossless.
///
/// Pure: time is passed in. Not thread-safe.
class TimedDisplay {
  public:
    /// `slots`: those of the stream's ring. Waiting frames leave four of them free, unless the sender waits
    /// for free ones.
    explicit TimedDisplay(std::uint32_t slots) : slots_(slots) {}

    /// A connection begins: skips waiting frames of an earlier one, and does not report them. Returns
    /// ReceivedFrame::session of its frames.
    std::uint64_t begin(SyncMode mode, TimestampNs now);
    /// No more orders will come: frames are due at once.
    void release(TimestampNs now);
    SyncMode mode() const { return mode_; }

    /// Skips a frame of an earlier connection.
    void put(ReceivedFrame frame, TimestampNs now);
    /// `order`: with its time on our clock. Throws Error{Peer} if it goes back. Frames passed over give back
    /// their slots at once, whatever the thread that shows frames is doing: the sender may wait for them.
    void order(const PresentFrame& order, TimestampNs now);

    /// Go, in a lossless stream: when the first waiting frame is skipped although nothing is drawn;
    /// passOver() does that, and returns true if there was one.
    std::optional<TimestampNs> passesAt() const;
    bool passOver(TimestampNs now);

    /// The frame to draw; nullopt while one is drawn but not shown, or none waits.
    std::optional<ReceivedFrame> next(TimestampNs now);
    bool wantsDrawing() const { return !current_ && !waiting_.empty(); }
    /// next()'s frame is drawn. Returns its sequence, to tell the sender; nullopt if nobody listens.
    std::optional<std::uint64_t> drawn(TimestampNs now);
    /// When to show what is drawn; nullopt while that is not known, or nothing is drawn.
    std::optional<TimestampNs> due() const;
    /// What is drawn was shown. Returns what to tell the sender, if anybody listens, without `wallOffset`.
    std::optional<FramePresented> shown(TimestampNs at, ShownBy by);
    /// Whether what was drawn last is shown, or not to be shown any more.
    bool idle() const { return !current_; }
    bool anyWaiting() const { return current_ || !waiting_.empty(); }
    /// Whether the next frame must tell what changed in skipped ones.
    bool owesChanges() const { return !left_.isNone(); }

    /// How many frames are never shown.
    std::uint64_t skipped() const { return skipped_; }

  private:
    struct Current {
        std::uint64_t sequence = 0;
        std::uint64_t session = 0;
        std::optional<TimestampNs> due{};
        std::optional<TimestampNs> drawnAt{};
        TimestampNs knownAt = 0;  // when its due time became known
    };
    void leaveOutFirst();
    void leaveOutPassed(TimestampNs now);
    void makeRoom(ReceivedFrame& frame);

    const std::uint32_t slots_;
    SyncMode mode_ = SyncMode::Off;
    std::uint64_t session_ = 0;
    std::deque<ReceivedFrame> waiting_;
    std::optional<Current> current_;
    PresentFrame order_;  // hold: the last one; nothing before its sequence is shown
    PictureChanges left_ = PictureChanges::none();  // what changed in skipped frames
    std::uint64_t skipped_ = 0;
};

}  // namespace verbcast

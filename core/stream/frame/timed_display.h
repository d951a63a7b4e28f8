// What a display does with the frames of a sender that says when to show them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/session/messages/together.h"
#include "core/stream/frame/received_frame.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// The display's side of PresentationGroup. Frames wait in order; the first is taken by next() and drawn
/// where nobody sees it yet (drawn()), shown when it is due (due()), and then reported (shown()). One at a
/// time.
///
/// Go: a frame is due at ReceivedFrame::presentAt; one whose successor is due, too, is left out. Hold: it is
/// due when an order says so. Without a sender that tells, what is there is due at once, the newest alone
/// unless the stream is lossless.
///
/// Pure: time comes in by arguments. Not synchronised.
class TimedDisplay {
  public:
    /// `slots`: those of the stream's ring; four stay free of frames that wait, unless the sender waits for
    /// free ones.
    explicit TimedDisplay(std::uint32_t slots) : slots_(slots) {}

    /// A connection begins: what waits is of another one, and is not told of. Gives ReceivedFrame::session of
    /// its frames.
    std::uint64_t begin(SyncMode mode, TimestampNs now);
    /// No order will come any more: what is there is due.
    void release(TimestampNs now);
    SyncMode mode() const { return mode_; }

    /// One of a connection before is left out.
    void put(ReceivedFrame frame, TimestampNs now);
    /// With its time on our clock. Throws Error{Peer} for one that goes back. What is passed over gives its
    /// slot back at once, whatever the thread that shows does: its sender may wait for it.
    void order(const PresentFrame& order, TimestampNs now);

    /// Go: when the first frame that waits is left out although nothing is drawn, in a lossless stream; and
    /// does that. True when there was one.
    std::optional<TimestampNs> passesAt() const;
    bool passOver(TimestampNs now);

    /// The frame to draw; nothing while one is drawn and not shown, or none waits.
    std::optional<ReceivedFrame> next(TimestampNs now);
    bool wantsDrawing() const { return !current_ && !waiting_.empty(); }
    /// next()'s frame is drawn. Its sequence, to be told to the sender; nothing where nobody listens.
    std::optional<std::uint64_t> drawn(TimestampNs now);
    /// When to show what is drawn; nothing while that is not known, or nothing is drawn.
    std::optional<TimestampNs> due() const;
    /// What is drawn was shown. What to tell the sender, if anybody listens; `wallOffset` is left out.
    std::optional<FramePresented> shown(TimestampNs at, ShownBy by);
    /// What was drawn last is shown, or is not to be shown any more.
    bool idle() const { return !current_; }
    bool anyWaiting() const { return current_ || !waiting_.empty(); }
    /// What changed in frames that were left out is to be told with the next one.
    bool owesChanges() const { return !left_.isNone(); }

    /// Frames that are never shown.
    std::uint64_t skipped() const { return skipped_; }

  private:
    struct Current {
        std::uint64_t sequence = 0;
        std::uint64_t session = 0;
        std::optional<TimestampNs> due{};
        std::optional<TimestampNs> drawnAt{};
        TimestampNs knownAt = 0;  // that it is due
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
    PictureChanges left_ = PictureChanges::none();  // what changed in frames that were left out
    std::uint64_t skipped_ = 0;
};

}  // namespace verbcast

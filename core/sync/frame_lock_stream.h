// A TimedDisplay shared by the receiving threads and the one that shows.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/stats/frame_lock_stats.h"
#include "core/sync/frame_lock_listener.h"
#include "core/sync/timed_display.h"
#include "core/transport/epoll_set.h"

namespace verbcast {

/// Sleeps until that time, as precisely as the system can.
void sleepExactly(TimestampNs until);

/// Frames of a stream whose sender says when to show them. The showing thread waits for descriptor() and
/// calls next(), draws off screen, calls drawn(), and at dueSoon() shows the frame and calls shown(). If the
/// display reports the time later, it calls swapped() and then told(). The rest is thread-safe.
class FrameLockStream : public FrameLockListener {
  public:
    /// `slots`: size of the stream's ring. Throws Error{Resource} if no timer can be created.
    explicit FrameLockStream(std::uint32_t slots) : display_(slots) {}

    /// The descriptor becomes readable this long before a frame is due; the rest is slept.
    static constexpr TimestampNs kEarly = 1'500'000;

    /// True while the sender says when to show; otherwise frames are shown as they come.
    bool on() const { return on_; }
    /// True if frames belong here: on(), or earlier frames or their changes are still here.
    bool takes() const;
    void put(ReceivedFrame frame);
    /// No more orders will come: frames already here become due.
    void release();
    bool anyWaiting() const;

    // For the showing thread; see TimedDisplay:
    /// Readable when there is a frame to draw or the drawn one is due soon.
    int descriptor() const { return timer_.descriptor(); }
    std::optional<ReceivedFrame> next();
    void drawn();
    std::optional<TimestampNs> due() const;
    /// Like due(), but only once it is so near that the rest is slept.
    std::optional<TimestampNs> dueSoon() const;
    /// True if no frame is drawn but not shown.
    bool idle() const;
    void shown(TimestampNs at, ShownBy by) { told(swapped(), at, by); }
    /// Instead of all this, where nobody sees the picture, so that other displays do not wait for it: passes
    /// the next frame to `take`, and sleeps until it is due if that is soon. Returns true if it was due.
    bool showUnseen(const std::function<void(ReceivedFrame)>& take);
    /// The report on a frame given to the display, and where to send it.
    struct Swapped {
        std::optional<FramePresented> message;
        std::shared_ptr<Outbox> outbox;  // shared with the link
    };
    /// The next frame may be drawn. A frame that the display never shows gets no told().
    Swapped swapped();
    /// Call in the order of swapped().
    void told(const Swapped& frame, TimestampNs at, ShownBy by);

    /// Returns nullopt if no sender has said when to show.
    std::optional<FrameLockStats> stats() const;
    std::uint64_t skipped() const;

  private:
    std::uint64_t onSession(SyncMode mode, std::shared_ptr<Outbox> outbox) override;
    void onOrder(const PresentFrame& order) override;
    void onSessionEnd(const std::shared_ptr<Outbox>& outbox) override;
    void onNews(const FrameLockNews& news, const ClockState& clock) override;
    std::optional<TimestampNs> passesAt() const override;
    bool passOver(TimestampNs now) override;
    void setTimer();
    void beAlone();

    std::atomic<bool> on_{false};
    mutable std::mutex mutex_;  // guards the members below
    Timer timer_{"showing frames together"};
    TimedDisplay display_;
    std::shared_ptr<Outbox> outbox_;  // shared with the link: either may end first
    SyncMode lastMode_ = SyncMode::Off;
    FrameLockNews news_;
    ClockState clock_;
    DisplayStats own_;
    LatencyHistogram behindDue_;
};

}  // namespace verbcast

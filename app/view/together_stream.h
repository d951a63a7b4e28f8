// A TimedDisplay between the threads that receive and the one that shows.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/unique_fd.h"
#include "core/stats/together_stats.h"
#include "core/stream/frame/timed_display.h"
#include "core/stream/frame/together_listener.h"

namespace verbcast {

/// Sleeps until that moment, as exactly as the system can.
void sleepExactly(TimestampNs until);
/// The calling thread's timers are no longer put off to save power (50 us by default).
void wakeExactly();

/// Frames of a stream whose sender says when to show them. The thread that shows waits for descriptor() and
/// calls next(), draws where nobody sees it, calls drawn(), and at dueSoon() shows it and calls shown(). The
/// others may be called from any thread.
class TogetherStream : public TogetherListener {
  public:
    /// `slots`: those of the stream's ring. Throws Error{Internal} without a timer.
    explicit TogetherStream(std::uint32_t slots);

    /// So long before a frame is due the descriptor is readable: the rest is slept.
    static constexpr TimestampNs kEarly = 1'500'000;

    /// The sender says when to show; else frames are shown as they come.
    bool on() const { return on_; }
    /// Frames belong here: it says so, or earlier ones are here still, or what has changed in them.
    bool takes() const;
    void put(ReceivedFrame frame);
    /// No more is said: what is there is due.
    void release();
    bool anyWaiting() const;

    // For the thread that shows; see TimedDisplay:
    /// Readable when there is a frame to draw, or the one that is drawn will be due shortly.
    int descriptor() const { return timer_.get(); }
    std::optional<ReceivedFrame> next();
    void drawn();
    std::optional<TimestampNs> due() const;
    /// The same, once it is so near that the rest is slept.
    std::optional<TimestampNs> dueSoon() const;
    /// Nothing is drawn and not shown.
    bool idle() const;
    void shown(TimestampNs at, ShownBy by);

    /// Nothing while no sender has said when to show.
    std::optional<TogetherStats> stats() const;
    std::uint64_t skipped() const;

  private:
    std::uint64_t onSession(SyncMode mode, std::shared_ptr<Outbox> outbox) override;
    void onOrder(const PresentFrame& order) override;
    void onSessionEnd(const std::shared_ptr<Outbox>& outbox) override;
    void onNews(const TogetherNews& news, const ClockState& clock) override;
    std::optional<TimestampNs> passesAt() const override;
    bool passOver(TimestampNs now) override;
    void setTimer();
    void beAlone();

    UniqueFd timer_;
    std::atomic<bool> on_{false};
    mutable std::mutex mutex_;  // guards what follows
    TimedDisplay display_;
    std::shared_ptr<Outbox> outbox_;  // shared with the link: either may end first
    SyncMode lastMode_ = SyncMode::Off;
    TogetherNews news_;
    ClockState clock_;
    DisplayStats own_;
    LatencyHistogram behindDue_;
    std::optional<TimestampNs> timerSet_;
};

}  // namespace verbcast

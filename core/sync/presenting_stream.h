// What a viewer's link does to show its frames together with those of other displays.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "core/flow/received_frame.h"
#include "core/session/link.h"
#include "core/session/outbox.h"
#include "core/sync/clock_tie.h"
#include "core/sync/frame_lock_listener.h"
#include "core/sync/kept_clock.h"

namespace verbcast {

/// What the connections of one stream share that a display shows. Thread-safe.
class DisplaySessions {
  public:
    /// `listener` must outlive this.
    explicit DisplaySessions(FrameLockListener& listener) : listener_(listener) {}

    FrameLockListener& listener() { return listener_; }
    /// A connection begins, alone or (no outbox) beside others of the same sender, whose frames are shown as
    /// they come. Returns ReceivedFrame::session of its frames.
    std::uint64_t begin(const Hello& sender, SyncMode mode, std::shared_ptr<Outbox> outbox);

  private:
    struct Shared {
        std::uint64_t instance, session;
    };

    FrameLockListener& listener_;
    std::mutex mutex_;              // guards shared_
    std::optional<Shared> shared_;  // what the listener was last told of, if that has several connections
};

/// Tells the display when the sender wants frames shown, and passes on what it reports.
class PresentingStream final : public SinkFeature {
  public:
    PresentingStream(Link& link, DisplaySessions& sessions) : link_(link), sessions_(sessions) {}
    ~PresentingStream() override;

    void onReady() override;
    bool onMessage(MessageType type, ByteReader& reader) override;
    bool step() override;
    std::optional<TimestampNs> nextDue() const override {
        return told_ ? listener().passesAt() : std::nullopt;
    }
    /// Sets its time to present.
    void onArrived(ReceivedFrame& frame) const override;
    void onEnd() noexcept override;

  private:
    FrameLockListener& listener() const { return sessions_.listener(); }
    void takeOrder(PresentFrame order);

    Link& link_;
    DisplaySessions& sessions_;
    bool told_ = false;               // the sender says when to show
    std::uint64_t session_ = 0;       // ReceivedFrame::session of its frames
    std::shared_ptr<Outbox> outbox_;  // shared with the listener
    ClockTie tie_;
    KeptClock kept_;
};

}  // namespace verbcast

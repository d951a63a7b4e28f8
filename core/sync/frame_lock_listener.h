// What a display hears from its sender to show frames together with others.
#pragma once

#include <memory>
#include <optional>

#include "core/session/messages/frame_lock.h"
#include "core/session/outbox.h"

namespace verbcast {

/// How the sender's times are converted to ours.
struct ClockState {
    ClockBy by = ClockBy::Unknown;
    TimestampNs errorNs = 0;
    TimestampNs wallOffset = 0;  ///< of this host: KeptClock::wallOffset()
};

/// Called on the thread that serves the link.
class FrameLockListener {
  public:
    virtual ~FrameLockListener() = default;
    /// A connection begins. Messages to this sender go into its outbox. Returns ReceivedFrame::session of its
    /// frames: those of earlier connections may still be on their way.
    [[nodiscard]] virtual std::uint64_t onSession(SyncMode mode, std::shared_ptr<Outbox> outbox) = 0;
    /// With the time on our clock. May throw Error{Peer}.
    virtual void onOrder(const PresentFrame& order) = 0;
    /// That connection is over: nothing more can be sent.
    virtual void onSessionEnd(const std::shared_ptr<Outbox>& outbox) = 0;
    virtual void onNews(const FrameLockNews& news, const ClockState& clock) = 0;
    /// When waiting frames are passed over although nothing is drawn, because the sender waits for their
    /// slots; nullopt: never by time alone.
    virtual std::optional<TimestampNs> passesAt() const = 0;
    /// Passes over those whose time is over; returns true if there were any.
    virtual bool passOver(TimestampNs now) = 0;
};

}  // namespace verbcast

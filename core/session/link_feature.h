// What one end of a connection does besides moving frames: a class of its own for each such feature, plugged
// into the link.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/os/clock.h"
#include "core/base/wire.h"
#include "core/session/messages/messages.h"

namespace verbcast {

struct QueuedFrame;
struct ReceivedFrame;

/// Hears the messages that it knows, and gets its turns. All functions are called by the thread that serves
/// the link; none blocks. Throws Error{Peer} for what a peer may not say.
class LinkFeature {
  public:
    virtual ~LinkFeature() = default;

    /// Before anything else.
    virtual void onReady() {}
    /// Returns false for a message that it does not know.
    virtual bool onMessage(MessageType /*type*/, ByteReader& /*reader*/) { return false; }
    /// Moves what it can without blocking; returns true if it moved anything.
    virtual bool step() { return false; }
    /// About five times a second.
    virtual void onTick(TimestampNs /*now*/) {}
    /// When step() may have something to do though nothing wakes the link; nullopt: never.
    virtual std::optional<TimestampNs> nextDue() const { return std::nullopt; }
    /// Whether what the peer says to it may wait until the next frame.
    virtual bool maySleep() const { return true; }
    /// run() has ended. The object may live on for a while, the connection, too.
    virtual void onEnd() noexcept {}
};

/// Of a sender's link.
class SourceFeature : public LinkFeature {
  public:
    /// From the submitting thread: whether the receiver is to get this frame.
    virtual bool wants(const QueuedFrame& /*frame*/) const { return true; }
    /// A frame is about to be sent: may complete what it says.
    virtual void beforeSend(FrameInfo& /*info*/) {}
    virtual void onSent(const FrameInfo& /*info*/) {}
    /// The receiver no longer holds any of the track's frames up to this one.
    virtual void onSlotsBack(TrackId /*track*/, std::uint64_t /*newest*/) {}
};

/// Of a receiver's link.
class SinkFeature : public LinkFeature {
  public:
    /// A frame has arrived; its times are on our clock.
    virtual void onArrived(ReceivedFrame& /*frame*/) const {}
};

}  // namespace verbcast

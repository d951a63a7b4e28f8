// What only shared-memory connections can do: be served by threads other than their owner's.
#pragma once

#include <chrono>

#include "core/base/os/clock.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// A thread switch costs more than handing over a frame. If a connection is a ring in memory, the thread that
/// submits a frame may push it through by itself, and the thread that consumes frames may look for them
/// itself. Only one thread at a time: the owner ensures that. While the owner sleeps, others may call send()
/// of channel and path, and the functions here.
class SharedRing {
  public:
    virtual ~SharedRing() = default;

    /// Like MessageChannel::process(), but leaves the owner's wake-up armed.
    virtual Progress processWhileAsleep() = 0;

    /// Like MessageChannel::readyToSleep(), but only the end of the connection wakes the owner, which sleeps:
    /// arriving data may wait until somebody looks.
    virtual bool readyToSleepUntilEnd() = 0;

    /// A faster sleep, for a consumer that waits for nothing else while the owner watches waitDescriptor():
    /// arms the wake-up like readyToSleep(). Then wait() sleeps, without keeping others out, until something
    /// arrives, rouse() or the timeout; it may wake spuriously.
    virtual bool readyToWait() = 0;
    virtual void wait(std::chrono::nanoseconds timeout) = 0;
    /// Ends wait(). Safe from any thread.
    virtual void rouse() = 0;

    /// A frame will be sent at that time, soon: wakes the peer's consumer, which may spin until it comes.
    virtual void expect(TimestampNs due) = 0;
    /// What the peer said last with expect(), unchecked; 0 if it said nothing.
    virtual TimestampNs frameDue() const = 0;

    /// Called by the owner: waitDescriptor() may be readable, so the serving thread checks it next time.
    virtual void descriptorWoke() = 0;
};

}  // namespace verbcast

// What only connections through shared memory can do: be served by other threads than their owner's.
#pragma once

#include <chrono>

#include "core/transport/message_channel.h"

namespace verbcast {

/// A thread switch costs more than handing over a frame. Where a connection is a ring in memory, the thread
/// that submits a frame may push it through by itself, and the thread that consumes frames may look for them
/// itself. One thread at a time: the owner sees to that. While the owner sleeps, others may call send() of
/// channel and path, and the functions here.
class SharedRing {
  public:
    virtual ~SharedRing() = default;

    /// As MessageChannel::process(), leaving the owner's wake-up armed.
    virtual Progress processWhileAsleep() = 0;

    /// As MessageChannel::readyToSleep(), but only the end of the connection needs to wake the owner, which
    /// dozes: what arrives may wait until somebody looks.
    virtual bool readyToDoze() = 0;

    /// A faster sleep, for a consumer that waits for nothing else while the owner watches waitDescriptor():
    /// arms it as readyToSleep() does. Then wait() sleeps without holding anybody off, until something
    /// arrives, rouse() or the timeout; it may return spuriously.
    virtual bool readyToWait() = 0;
    virtual void wait(std::chrono::nanoseconds timeout) = 0;
    /// Ends wait(). From any thread.
    virtual void rouse() = 0;

    /// From the owner: waitDescriptor() may be readable, so the serving thread looks at it next time.
    virtual void descriptorWoke() = 0;
};

}  // namespace verbcast

// Simulates a user's input over the picture, for measurements.
#pragma once

#include <thread>

#include "core/base/os/event.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Until it is destroyed, moves the pointer at random times, about 60 times a second and independent of
/// frames, on its own thread. `receiver`, which times the events, must outlive this.
class InputSource {
  public:
    explicit InputSource(FrameReceiver& receiver);
    ~InputSource();
    InputSource(const InputSource&) = delete;
    InputSource& operator=(const InputSource&) = delete;

  private:
    void run();

    FrameReceiver& receiver_;
    Event stop_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast

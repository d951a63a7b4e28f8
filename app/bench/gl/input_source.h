// Somebody at the picture who steers, for measurements.
#pragma once

#include <thread>

#include "core/base/event.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Moves the pointer at random moments, about 60 times a second, whatever the frames do, on a thread of its
/// own, until it is destroyed. Outlived by the receiver, which times the events.
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
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast

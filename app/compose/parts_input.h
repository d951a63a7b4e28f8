// Viewers' input on its way to every part, and back: which of it a picture of all parts shows.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/input_injector.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Each event goes to each part, in order; a part that is not there for now misses it. To a part all viewers
/// are one. Events are numbered anew for each part; what a frame of it says that it shows is kept here as the
/// viewers' own serial.
class PartsInput {
  public:
    /// Before the injector takes anything.
    void sendTo(std::vector<std::shared_ptr<FrameReceiver>> parts);

    /// `self` is shared with what it gives.
    static std::unique_ptr<InputInjector> injector(std::shared_ptr<PartsInput> self);

    /// A frame of that part shows what was sent to it up to that number; 0: nothing. By the capturing thread.
    void shows(const FrameReceiver& part, std::uint64_t number);
    /// The last event whose effect all parts show; 0: none.
    std::uint64_t shownByAll() const;

  private:
    class Injector;
    struct Sent {
        std::uint64_t number;  ///< the part's
        std::uint64_t serial;  ///< the viewers'
    };
    struct Part {
        std::shared_ptr<FrameReceiver> receiver{};  // shared with the source
        std::deque<Sent> sent{};                    // not shown yet, the oldest first
        std::uint64_t shown = 0;
    };
    void send(const ViewerInput& input);

    mutable std::mutex mutex_;
    std::vector<Part> parts_;  // those that take input; under it
};

}  // namespace verbcast

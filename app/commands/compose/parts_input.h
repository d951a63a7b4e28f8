// Passes viewers' input to every part, and tracks which of it a picture of all parts shows.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/input_injector.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Passes each event to each part, in order; a part that is away misses it. Parts see all viewers as one.
/// Events are numbered anew for each part; what its frames report as shown is stored here as the viewers'
/// serial.
class PartsInput {
  public:
    /// Call before the injector receives events.
    void sendTo(std::vector<std::shared_ptr<FrameReceiver>> parts);

    /// `self` is shared with the injector.
    static std::unique_ptr<InputInjector> injector(std::shared_ptr<PartsInput> self);

    /// A frame of that part shows the events sent to it up to that number; 0: none. Call from the capturing
    /// thread.
    void shows(const FrameReceiver& part, std::uint64_t number);
    /// The last event whose effect is shown by all parts; 0: none.
    std::uint64_t shownByAll() const;

  private:
    class Injector;
    struct Sent {
        std::uint64_t number;  ///< in the part's numbering
        std::uint64_t serial;  ///< in the viewers' numbering
    };
    struct Part {
        std::shared_ptr<FrameReceiver> receiver{};  // shared with the source
        std::deque<Sent> sent{};                    // not shown yet, oldest first
        std::uint64_t shown = 0;
    };
    void send(const ViewerInput& input);

    mutable std::mutex mutex_;
    std::vector<Part> parts_;  // those that accept input; guarded by mutex_
};

}  // namespace verbcast

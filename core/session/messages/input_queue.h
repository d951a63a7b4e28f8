// Events of all viewers on their way to the one thread that applies them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/session/messages/input.h"

namespace verbcast {

/// push() from any thread, take() from one.
class InputQueue {
  public:
    /// Returns the event's serial. Drops the event if the queue is full. That may lose the release of a key,
    /// so the next take() then ends with a ReleaseAll for this viewer, if an earlier event of it may have
    /// pressed one.
    std::uint64_t push(std::uint64_t viewer, const std::string& viewerName, InputEvent&& event);
    /// Appends all events in the order of their serials.
    void take(std::vector<ViewerInput>& events);
    ArmedEvent& available() { return available_; }

  private:
    static constexpr std::size_t kCapacity = 8192;  // several seconds of the busiest viewer

    std::mutex mutex_;  // held only to move one event or the list
    std::vector<ViewerInput> events_;
    // Viewers with an event in here, or taken, since their last ReleaseAll. Each viewer ends with one, so
    // they are not more than the queue holds and viewers are connected.
    std::set<std::uint64_t> mayHoldKeys_;
    std::map<std::uint64_t, std::string> overflowed_;  // those of them whose events were lost
    std::uint64_t lastSerial_ = 0;
    ArmedEvent available_;
};

}  // namespace verbcast

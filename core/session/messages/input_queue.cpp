#include "core/session/messages/input_queue.h"

#include <iterator>
#include <utility>

namespace verbcast {

std::uint64_t InputQueue::push(std::uint64_t viewer, const std::string& viewerName, InputEvent&& event) {
    std::uint64_t serial = 0;
    {
        const std::lock_guard lock(mutex_);
        serial = ++lastSerial_;
        if (events_.size() < kCapacity) {
            if (event.kind == InputKind::ReleaseAll) {
                mayHoldKeys_.erase(viewer);
            } else {
                mayHoldKeys_.insert(viewer);
            }
            events_.push_back({serial, viewer, viewerName, std::move(event)});
        } else if (mayHoldKeys_.contains(viewer)) {
            overflowed_.emplace(viewer, viewerName);
        }
    }
    available_.notify();
    return serial;
}

void InputQueue::take(std::vector<ViewerInput>& events) {
    const std::lock_guard lock(mutex_);
    events.insert(events.end(), std::make_move_iterator(events_.begin()),
                  std::make_move_iterator(events_.end()));
    events_.clear();
    for (auto& [viewer, name] : overflowed_) {
        events.push_back({++lastSerial_, viewer, name, {.kind = InputKind::ReleaseAll}});
        mayHoldKeys_.erase(viewer);
    }
    overflowed_.clear();
}

}  // namespace verbcast

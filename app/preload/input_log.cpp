#include "app/preload/input_log.h"

namespace verbcast {

void InputLog::sent(std::uint64_t serial, TimestampNs at) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() == kCapacity) {
        entries_.pop_back();  // its events count as sent with the new ones
    }
    entries_.push_back({serial, at});
}

std::uint64_t InputLog::shownBy(TimestampNs begun) {
    const std::lock_guard lock(mutex_);
    while (!entries_.empty() && entries_.front().at <= begun) {
        shown_ = entries_.front().serial;
        entries_.pop_front();
    }
    return shown_;
}

}  // namespace verbcast

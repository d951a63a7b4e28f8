// Tells which of the viewers' input a picture shows.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "core/base/os/clock.h"

namespace verbcast {

/// One thread logs what goes to the program; another asks at each picture.
class InputLog {
  public:
    /// Call when the events up to this serial are sent.
    void sent(std::uint64_t serial, TimestampNs at);
    /// The serial of the last event sent before a picture was begun.
    std::uint64_t shownBy(TimestampNs begun);

  private:
    struct Entry {
        std::uint64_t serial;
        TimestampNs at;
    };
    static constexpr std::size_t kCapacity = 256;  // reached only if a program shows nothing

    std::mutex mutex_;  // held only to look at the list
    std::deque<Entry> entries_;
    std::uint64_t shown_ = 0;
};

}  // namespace verbcast

// Which of the viewers' input a picture shows.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "core/base/clock.h"

namespace verbcast {

/// One thread tells what goes to the program, another asks at each picture.
class InputLog {
  public:
    /// The events up to this serial go out now.
    void sent(std::uint64_t serial, TimestampNs at);
    /// The serial of the last event that had been sent when a picture was begun.
    std::uint64_t shownBy(TimestampNs begun);

  private:
    struct Entry {
        std::uint64_t serial;
        TimestampNs at;
    };
    static constexpr std::size_t kCapacity = 256;  // of a program that shows nothing

    std::mutex mutex_;  // held for a look at the list
    std::deque<Entry> entries_;
    std::uint64_t shown_ = 0;
};

}  // namespace verbcast

// Figures of a running sender for another program: a line of JSON each second.
#pragma once

#include <thread>

#include "core/base/event.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Writes to an inherited descriptor, on a thread of its own: at once, every second, and at the end. A reader
/// that is slow or gone holds nobody up: lines for which there is no room are left out. The keys are in the
/// README (--stats-fd).
class StatsStream {
  public:
    /// The descriptor stays the caller's; `sender` outlives this object. Throws Error{Usage} for a descriptor
    /// that is not open for writing.
    StatsStream(int descriptor, const Broadcast& sender);
    ~StatsStream();
    /// Throws what the constructor would throw.
    static void requireWritable(int descriptor);
    StatsStream(const StatsStream&) = delete;
    StatsStream& operator=(const StatsStream&) = delete;

  private:
    struct Counters {
        TimestampNs at = 0;
        std::uint64_t frames = 0, bytes = 0;
    };

    void run();
    std::string line();
    bool write(const std::string& text);

    int descriptor_;
    const Broadcast& sender_;
    Counters last_;
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast

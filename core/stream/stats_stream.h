// Figures of a running sender for another program: a line of JSON each second.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/event.h"
#include "core/session/trust/trust.h"
#include "core/stats/decoding_stats.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Writes to an inherited descriptor, on a thread of its own: at once, every second, and at the end. A reader
/// that is slow or gone holds nobody up: drops lines without room. A line of its own tells when a pairing
/// code can be typed, and when it no longer can. docs/streams.md (--stats-fd) lists the keys.
class StatsStream {
  public:
    /// The caller keeps the descriptor; `sender` must outlive this object. `book` is shared with the sender
    /// and may be null. Throws Error{Usage} for a descriptor that is not open for writing.
    StatsStream(int descriptor, const Broadcast& sender, std::shared_ptr<const KeyBook> book = nullptr);
    ~StatsStream();
    /// Writes another line, which includes its end. Thread-safe. Drops it if there is no room.
    void tell(const std::string& line) { static_cast<void>(write(line)); }
    /// Adds this to each line from now on. Thread-safe.
    void setDecoding(const DecodingStats& decoding);
    /// Throws what the constructor would throw.
    static void requireWritable(int descriptor);
    StatsStream(const StatsStream&) = delete;
    StatsStream& operator=(const StatsStream&) = delete;

  private:
    struct Counters {
        TimestampNs at = 0;
        std::uint64_t frames = 0, bytes = 0;
    };

    enum class Written { Whole, LeftOut, ReaderGone };

    void run();
    bool writeFigures();
    bool writeInvitation();
    std::string figures();
    Written write(const std::string& text);

    int descriptor_;
    const Broadcast& sender_;
    const std::shared_ptr<const KeyBook> book_;
    std::string toldInvitation_;  // as last written; empty: none
    Counters last_;
    std::mutex writing_;  // a line at a time
    std::mutex decodingMutex_;
    std::optional<DecodingStats> decoding_;
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast

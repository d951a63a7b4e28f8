// Statistics of a running sender for another program: a line of JSON each second.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/base/os/event.h"
#include "core/session/trust/trust.h"
#include "core/stats/decoding_stats.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// An inherited descriptor, which the caller keeps. Thread-safe: lines of several streams do not mix. A
/// reader that is slow or gone holds nobody up: drops lines without room.
class StatsOutput {
  public:
    enum class Written { Whole, LeftOut, ReaderGone };

    /// Throws what requireWritable() throws.
    explicit StatsOutput(int descriptor) : descriptor_(descriptor) { requireWritable(descriptor); }
    /// `line` includes its end. Once `stop` is set, waits for nobody. After a line that was broken off,
    /// nothing more is written.
    Written write(const std::string& line, const Event& stop);
    /// Throws Error{Usage} for a descriptor that is not open for writing.
    static void requireWritable(int descriptor);

  private:
    Written writeLocked(const std::string& line, const Event& stop);

    const int descriptor_;
    std::mutex mutex_;  // a line at a time; guards readerGone_
    bool readerGone_ = false;
};

/// Which of several streams.
struct StatsLabel {
    std::uint32_t number = 0;  ///< from 1
    std::string name;
};

/// Writes on a thread of its own: at once, every second, and at the end. A line of its own tells when a
/// pairing code can be typed, and when it no longer can. docs/reports.md lists the keys.
class StatsStream {
  public:
    /// `sender` must outlive this object. `book` is shared with the sender and may be null. Each line begins
    /// with `label`, if there is one.
    StatsStream(std::shared_ptr<StatsOutput> output, const Broadcast& sender,
                std::shared_ptr<const KeyBook> book = nullptr, std::optional<StatsLabel> label = {});
    ~StatsStream() { stop_.notify(); }
    /// Writes another line, with these keys. Thread-safe. Drops it if there is no room.
    void tell(const nlohmann::ordered_json& keys) { static_cast<void>(write(keys)); }
    /// Adds this to each line from now on. Thread-safe.
    void setDecoding(const DecodingStats& decoding);
    StatsStream(const StatsStream&) = delete;
    StatsStream& operator=(const StatsStream&) = delete;

  private:
    struct Counters {
        TimestampNs at = 0;
        std::uint64_t frames = 0, bytes = 0;
    };

    using Written = StatsOutput::Written;

    void run();
    bool writeStats();
    bool writeInvitation();
    nlohmann::ordered_json stats();
    Written write(const nlohmann::ordered_json& keys);

    const std::shared_ptr<StatsOutput> output_;
    const Broadcast& sender_;
    const std::shared_ptr<const KeyBook> book_;
    const std::optional<StatsLabel> label_;
    std::string toldInvitation_;  // as last written; empty: none
    Counters last_;
    std::mutex decodingMutex_;
    std::optional<DecodingStats> decoding_;
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast

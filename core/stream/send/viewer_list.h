// The viewers that a broadcast has or had, each with what was sent to it over all of its connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/session/messages/messages.h"
#include "core/stats/viewer_stats.h"

namespace verbcast {

/// What one viewer was sent, and what it last said of it. From any thread.
class ViewerAccount {
  public:
    /// A frame of the main track left; one that was sent over an earlier connection, too, is not counted
    /// again.
    void countSent(const FrameInfo& info);
    void countDropped() { ++framesDropped_; }
    void countLost(std::uint64_t frames) { framesLost_ += frames; }
    /// A frame left, of any track.
    void markServed() { served_.store(true, std::memory_order_relaxed); }
    /// It was sent a frame at least, over any of its connections.
    bool served() const { return served_; }
    void report(const Report& last);
    /// Fills in the figures.
    void addTo(ViewerStats& stats) const;

  private:
    std::atomic<std::uint64_t> framesSent_{0}, bytes_{0}, framesDropped_{0}, framesLost_{0};
    std::atomic<bool> served_{false};
    std::atomic<std::uint64_t> nextUncounted_{0};  // sequence; written by the thread that serves the link
    mutable std::mutex mutex_;                     // guards report_
    Report report_;
};

/// Not synchronised. Viewers that come and go are bounded in number: of those that have left, the last
/// kMaxEnded are kept, and the sum of the others.
class ViewerList {
  public:
    static constexpr std::size_t kMaxEnded = 64;

    /// A connection begins. A viewer that is back (`instance`: Hello's) has the account that it had.
    std::shared_ptr<ViewerAccount> join(std::uint64_t connection, std::uint64_t instance);
    /// Of a connection that is there.
    std::shared_ptr<ViewerAccount> accountOf(std::uint64_t connection) const;
    /// That connection came to nothing: as if join() had not been called.
    void abandon(std::uint64_t connection);
    /// Adds what the list knows of a connected viewer to what its connection has counted.
    void describe(std::uint64_t connection, ViewerStats& viewer) const;
    /// That connection has ended; `last` is described already.
    void leave(std::uint64_t connection, ViewerStats last);

    /// Those that have left, in the order in which they did.
    std::vector<ViewerStats> ended() const;
    /// The sums of those that have left and are not in ended(), and how many they are.
    const ViewerStats& earlier() const { return earlier_; }
    std::uint64_t earlierCount() const { return earlierCount_; }

  private:
    struct Entry {
        std::uint64_t connection = 0, instance = 0;
        TimestampNs connectedAt = 0;
        std::shared_ptr<ViewerAccount> account;
        ViewerStats last;  // of its connections before; once it has ended, of all
    };

    std::vector<Entry> there_;
    std::deque<Entry> ended_;
    ViewerStats earlier_;
    std::uint64_t earlierCount_ = 0;
};

}  // namespace verbcast

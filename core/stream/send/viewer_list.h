// The viewers that a broadcast has or had, each with what was sent to it over all of its connections.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/os/clock.h"
#include "core/session/messages/messages.h"
#include "core/stats/live_stats.h"
#include "core/stats/viewer_stats.h"

namespace verbcast {

/// What one viewer was sent, and what it last reported of it. Thread-safe.
class ViewerAccount {
  public:
    struct Track {
        Counters<ViewerStats> counters;
        std::atomic<std::uint64_t> nextUncounted{
            0};  ///< sequence; written by the thread that serves the link

        /// Counts a frame that left; one that an earlier connection has sent, too, is not counted again.
        void countSent(const FrameInfo& info);
    };
    Track& ofTrack(TrackId track) { return tracks_[track]; }
    void countLost(TrackId track, std::uint64_t frames) {
        tracks_[track].counters[&ViewerStats::framesLost] += frames;
    }
    void countConnection() { ++connections_; }
    /// Takes the last one back. Returns how many are left.
    std::uint64_t uncountConnection() { return --connections_; }
    /// A frame of any track left.
    void markServed() { served_.store(true, std::memory_order_relaxed); }
    /// Whether it was sent any frame, over any of its connections.
    bool served() const { return served_; }
    void report(const Report& last);
    /// Fills in the statistics of a track.
    void addTo(ViewerStats& stats, TrackId track = 0) const;

  private:
    std::array<Track, kMaxTracks> tracks_;
    std::atomic<std::uint64_t> connections_{0};
    std::atomic<bool> served_{false};
    mutable std::mutex mutex_;  // guards report_
    Report report_;
};

/// Not thread-safe. Bounded: of the viewers that have left, keeps the last kMaxEnded, and the sum of the
/// others.
class ViewerList {
  public:
    static constexpr std::size_t kMaxEnded = 64;

    /// A connection begins. A viewer that is back (`instance`: Hello's) gets its account back.
    std::shared_ptr<ViewerAccount> join(std::uint64_t connection, std::uint64_t instance);
    /// That connection came to nothing: as if join() had not been called.
    void abandon(std::uint64_t connection);
    /// Adds what the list knows of a connected viewer to what its connection has counted.
    void describe(std::uint64_t connection, ViewerStats& viewer) const;
    /// That connection has ended; `last` is described already.
    void leave(std::uint64_t connection, ViewerStats last);

    /// Those that have left, in the order of leaving.
    std::vector<ViewerStats> ended() const;
    /// The sums of those that have left and are not in ended(), and how many those are.
    const ViewerStats& earlier() const { return earlier_; }
    std::uint64_t earlierCount() const { return earlierCount_; }

  private:
    struct Entry {
        std::uint64_t connection = 0, instance = 0;
        TimestampNs connectedAt = 0;
        std::shared_ptr<ViewerAccount> account;
        ViewerStats last;  // of its earlier connections; once it has ended, of all
    };

    std::vector<Entry> there_;
    std::deque<Entry> ended_;
    ViewerStats earlier_;
    std::uint64_t earlierCount_ = 0;
};

}  // namespace verbcast

// Statistics while they are being counted: a cell for each field of a struct's list.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

template <typename Value, typename Stats>
inline constexpr std::size_t kFieldsOf = [] {
    std::size_t fields = 0;
    eachOf<Value, Stats>([&](auto) { ++fields; });
    return fields;
}();

/// One cell for each field of a type: cells[&Stats::field].
template <typename Stats, typename Value, typename Cell>
class LiveFields {
  public:
    /// Does not compile for a member that is not in the list.
    struct Place {
        consteval Place(Value Stats::*field) : index(indexOf(field)) {}
        std::size_t index;
    };
    Cell& operator[](Place place) { return cells_[place.index]; }
    const Cell& operator[](Place place) const { return cells_[place.index]; }

  protected:
    /// Calls visit(field, cell) for each.
    static void each(auto& cells, auto visit) {
        std::size_t index = 0;
        eachOf<Value, Stats>([&](auto field) { visit(field, cells[index++]); });
    }

    std::array<Cell, kFieldsOf<Value, Stats>> cells_{};

  private:
    static consteval std::size_t indexOf(Value Stats::*field) {
        std::size_t index = 0, found = kFieldsOf<Value, Stats>;
        eachOf<Value, Stats>([&](auto each) {
            found = each == field ? index : found;
            ++index;
        });
        return found < index ? found : throw "not in the list";
    }
};

/// The counts of `Stats`. Thread-safe.
template <typename Stats>
class Counters : public LiveFields<Stats, std::uint64_t, std::atomic<std::uint64_t>> {
  public:
    /// Adds what `now` counts more than `before`, which becomes `now`.
    void addNews(const Stats& now, Stats& before) {
        this->each(this->cells_, [&](auto count, auto& total) {
            if (const std::uint64_t more = now.*count - before.*count; more != 0) {
                total += more;
                before.*count = now.*count;
            }
        });
    }
    void addTo(Stats& stats) const {
        this->each(this->cells_, [&](auto count, const auto& total) { stats.*count += total; });
    }
    /// Sets the counts, and nothing else.
    void copyTo(Stats& stats) const {
        this->each(this->cells_, [&](auto count, const auto& total) { stats.*count = total; });
    }
};

/// The latencies of `Stats`. Each is recorded by one thread at a time, and read by any.
template <typename Stats>
class Recorders : public LiveFields<Stats, Percentiles, LatencyRecorder> {
  public:
    void copyTo(Stats& stats) const {
        this->each(this->cells_, [&](auto latency, const auto& recorder) {
            stats.*latency = recorder.snapshot().percentiles();
        });
    }
};

}  // namespace verbcast

// A histogram of durations with bounded relative error, in the bucket layout of HdrHistogram.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/stats/stats_fields.h"

namespace verbcast {

struct Percentiles {
    std::uint64_t count = 0;
    double p50 = 0, p99 = 0, p999 = 0, max = 0;  ///< microseconds
    bool hasAny() const { return count > 0; }
    // With fewer values they are just the largest.
    bool hasP99() const { return count >= 100; }
    bool hasP999() const { return count >= 1000; }

    static constexpr void fields(auto visit) {
        visit("p50", &Percentiles::p50, NullUnless{&Percentiles::hasAny});
        visit("p99", &Percentiles::p99, NullUnless{&Percentiles::hasP99});
        visit("p999", &Percentiles::p999, NullUnless{&Percentiles::hasP999});
        visit("max", &Percentiles::max, NullUnless{&Percentiles::hasAny});
        visit("count", &Percentiles::count);
    }
};

/// ", skew p50 90 us p99 410 us"; "" without values.
std::string percentilesText(std::string_view name, const Percentiles& times);

/// Values are nanoseconds from 0 to over an hour, kept with a relative error under 1/64: each power of two is
/// cut into 64 linear buckets (G. Tene, HdrHistogram). record() is a few instructions and never allocates.
/// Negative values count as 0; of longer ones only the largest is known. Fewer than 2^64 values in all. Not
/// thread-safe: one thread records; copy it under the owner's lock to read it elsewhere.
class LatencyHistogram {
  public:
    LatencyHistogram();
    void record(std::int64_t nanoseconds) noexcept { record(nanoseconds, 1); }
    /// The same value `count` times.
    void record(std::int64_t nanoseconds, std::uint64_t count) noexcept;
    void merge(const LatencyHistogram& other) noexcept;
    void clear() noexcept;
    /// What was recorded since `before`, an earlier copy of this. The largest is as exact as the others.
    LatencyHistogram since(const LatencyHistogram& before) const;
    std::uint64_t count() const { return count_; }
    /// Smallest bucket value that at least `fraction` of the values do not exceed; 0 when empty. `fraction`
    /// is clamped to 0 to 1; NaN counts as 0.
    std::uint64_t quantileNs(double fraction) const noexcept;
    Percentiles percentiles() const noexcept;
    /// A bucket that is not empty: `count` values of at most valueNs, above those of the bucket before.
    struct Bucket {
        std::uint64_t valueNs = 0, count = 0;
    };
    /// In rising order. Recorded into an empty histogram they make an equal one.
    std::vector<Bucket> buckets() const;

  private:
    friend class LatencyRecorder;
    static constexpr int kSubBits = 6;
    static constexpr int kMaxBits = 42;  // 2^42 ns is 73 minutes
    static std::size_t bucketOf(std::uint64_t value) noexcept;
    static std::uint64_t upperEdge(std::size_t bucket) noexcept;

    std::vector<std::uint64_t> buckets_;
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;
};

/// The same histogram while it is being filled: one thread records without locks, any thread takes a
/// snapshot, which may miss the latest values.
class LatencyRecorder {
  public:
    LatencyRecorder();
    void record(std::int64_t nanoseconds) noexcept;
    LatencyHistogram snapshot() const;

  private:
    std::vector<std::atomic<std::uint64_t>> buckets_;
    std::atomic<std::uint64_t> max_{0};
};

}  // namespace verbcast

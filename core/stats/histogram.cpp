#include "core/stats/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace verbcast {

std::string percentilesText(std::string_view name, const Percentiles& times) {
    if (!times.hasAny()) {
        return {};
    }
    const std::string text = fmt::format(", {} p50 {:.0f} us", name, times.p50);
    return times.hasP99() ? text + fmt::format(" p99 {:.0f} us", times.p99) : text;
}

LatencyHistogram::LatencyHistogram() : buckets_(bucketOf(std::uint64_t{1} << kMaxBits) + 1) {}

std::size_t LatencyHistogram::bucketOf(std::uint64_t value) noexcept {
    value = std::min(value, std::uint64_t{1} << kMaxBits);
    const int width = std::bit_width(value);
    if (width <= kSubBits + 1) {
        return value;  // exact up to 127 ns
    }
    const int shift = width - kSubBits - 1;
    return (static_cast<std::size_t>(shift) << kSubBits) + (value >> shift);
}

std::uint64_t LatencyHistogram::upperEdge(std::size_t bucket) noexcept {
    if (bucket < (2U << kSubBits)) {
        return bucket;
    }
    const std::size_t shift = (bucket >> kSubBits) - 1;
    const std::uint64_t mantissa = (bucket & ((1U << kSubBits) - 1)) + (1U << kSubBits);
    return ((mantissa + 1) << shift) - 1;
}

void LatencyHistogram::record(std::int64_t nanoseconds, std::uint64_t count) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
    buckets_[bucketOf(value)] += count;
    count_ += count;
    max_ = count > 0 ? std::max(max_, value) : max_;
}

void LatencyHistogram::merge(const LatencyHistogram& other) noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        buckets_[i] += other.buckets_[i];
    }
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
}

void LatencyHistogram::clear() noexcept {
    std::fill(buckets_.begin(), buckets_.end(), 0);
    count_ = 0;
    max_ = 0;
}

LatencyHistogram LatencyHistogram::since(const LatencyHistogram& before) const {
    LatencyHistogram newer;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        newer.buckets_[i] = buckets_[i] - before.buckets_[i];
        newer.count_ += newer.buckets_[i];
        if (newer.buckets_[i] != 0) {
            newer.max_ = i + 1 < buckets_.size() ? std::min(upperEdge(i), max_) : max_;
        }
    }
    newer.max_ = max_ > before.max_ ? max_ : newer.max_;
    return newer;
}

std::uint64_t LatencyHistogram::quantileNs(double fraction) const noexcept {
    if (count_ == 0) {
        return 0;
    }
    // NaN is below everything. Below 1 the product fits, however large the count.
    std::uint64_t rank = fraction >= 1 ? count_ : 1;
    if (fraction > 0 && fraction < 1) {
        rank = std::clamp<std::uint64_t>(
            static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_))), 1, count_);
    }
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        seen += buckets_[i];
        if (seen >= rank) {
            // The last bucket also keeps what lies beyond its edge.
            return i + 1 < buckets_.size() ? std::min(upperEdge(i), max_) : max_;
        }
    }
    return max_;
}

Percentiles LatencyHistogram::percentiles() const noexcept {
    auto microseconds = [this](double fraction) {
        return static_cast<double>(quantileNs(fraction)) / 1000.0;
    };
    return {count_, microseconds(0.5), microseconds(0.99), microseconds(0.999),
            static_cast<double>(max_) / 1000.0};
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
    std::vector<Bucket> filled;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        if (buckets_[i] != 0) {
            filled.push_back({std::min(upperEdge(i), max_), buckets_[i]});
        }
    }
    // Values beyond the last bucket's edge are kept in it; the largest is still known.
    if (!filled.empty()) {
        filled.back().valueNs = max_;
    }
    return filled;
}

LatencyRecorder::LatencyRecorder() : buckets_(LatencyHistogram().buckets_.size()) {}

void LatencyRecorder::record(std::int64_t nanoseconds) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
    if (value > max_.load(std::memory_order_relaxed)) {
        max_.store(value, std::memory_order_relaxed);
    }
    // This is the only writer. Releases after the maximum, which a snapshot with this value must not lack.
    auto& bucket = buckets_[LatencyHistogram::bucketOf(value)];
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

LatencyHistogram LatencyRecorder::snapshot() const {
    LatencyHistogram copy;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        copy.buckets_[i] = buckets_[i].load(std::memory_order_acquire);
        copy.count_ += copy.buckets_[i];
    }
    copy.max_ = max_.load(std::memory_order_relaxed);
    return copy;
}

}  // namespace verbcast

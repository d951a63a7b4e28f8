#include "core/stats/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace verbcast::testing {
namespace {

TEST(LatencyHistogram, QuantilesAreWithinTheirBoundOfTheSortedValues) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> values(10, 3);
    LatencyHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 50000; ++i) {
        all.push_back(static_cast<std::int64_t>(std::min(values(random), 1e12)));
        histogram.record(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double q : {0.0001, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(all.size()))) - 1;
        const auto exact = static_cast<double>(all[rank]);
        const auto got = static_cast<double>(histogram.quantileNs(q));
        EXPECT_GE(got, exact) << q;
        EXPECT_LE(got, exact * (1 + 1.0 / 64) + 1) << q;
    }
    EXPECT_EQ(histogram.percentiles().max, static_cast<double>(all.back()) / 1000);
}

TEST(LatencyHistogram, WhatCameSinceACopyHasPercentilesOfItsOwn) {
    LatencyHistogram histogram;
    for (int i = 0; i < 100; ++i) {
        histogram.record(1'000'000);
    }
    const LatencyHistogram before = histogram;
    EXPECT_EQ(histogram.since(before).count(), 0U);
    EXPECT_EQ(histogram.since(before).percentiles().max, 0);
    histogram.record(1000);
    histogram.record(2000);
    const LatencyHistogram newer = histogram.since(before);
    EXPECT_EQ(newer.count(), 2U);
    EXPECT_NEAR(newer.percentiles().max, 2, 2.0 / 64) << "not the largest of all";
    EXPECT_NEAR(static_cast<double>(newer.quantileNs(0.5)), 1000, 1000.0 / 64);
    EXPECT_EQ(histogram.since(LatencyHistogram()).percentiles().max, 1000);
}

TEST(LatencyHistogram, SmallValuesAreExact) {
    for (std::int64_t value = 0; value < 128; ++value) {
        LatencyHistogram histogram;
        histogram.record(value);
        EXPECT_EQ(histogram.quantileNs(0.5), static_cast<std::uint64_t>(value));
    }
}

TEST(LatencyHistogram, OutOfRangeValuesAreKeptAtTheEdges) {
    LatencyHistogram histogram;
    histogram.record(-5);
    histogram.record(std::int64_t{1} << 62);
    EXPECT_EQ(histogram.count(), 2U);
    EXPECT_EQ(histogram.quantileNs(0.25), 0U);
    EXPECT_EQ(histogram.percentiles().max, static_cast<double>(std::int64_t{1} << 62) / 1000);
}

TEST(LatencyHistogram, ExtremesNeitherWrapNorHideTheRest) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    LatencyHistogram histogram;
    histogram.record(std::numeric_limits<std::int64_t>::min());
    histogram.record(-1);
    histogram.record(100);
    histogram.record(kMax);
    EXPECT_EQ(histogram.quantileNs(0.5), 0U);
    EXPECT_EQ(histogram.quantileNs(0.75), 100U);
    EXPECT_EQ(histogram.quantileNs(1), static_cast<std::uint64_t>(kMax)) << "none exceeds it";
    const Percentiles p = histogram.percentiles();
    EXPECT_EQ(p.max, static_cast<double>(kMax) / 1000);
    EXPECT_EQ(p.p999, p.max);
}

TEST(LatencyHistogram, AnyFractionGivesAQuantile) {
    LatencyHistogram histogram;
    histogram.record(10);
    histogram.record(20);
    EXPECT_EQ(histogram.quantileNs(0), 10U);
    EXPECT_EQ(histogram.quantileNs(-1e300), 10U);
    EXPECT_EQ(histogram.quantileNs(std::nan("")), 10U);
    EXPECT_EQ(histogram.quantileNs(1e300), 20U);
    EXPECT_EQ(histogram.quantileNs(HUGE_VAL), 20U);
    // The maximum number of values.
    histogram.record(5, std::numeric_limits<std::uint64_t>::max() - histogram.count());
    EXPECT_EQ(histogram.quantileNs(std::nextafter(1.0, 0.0)), 5U);
    EXPECT_EQ(histogram.quantileNs(1), 20U);
}

TEST(LatencyHistogram, EmptyHasNoPercentiles) {
    const Percentiles p = LatencyHistogram().percentiles();
    EXPECT_EQ(p.count, 0U);
    EXPECT_EQ(p.p50, 0);
    EXPECT_EQ(p.max, 0);
}

TEST(LatencyHistogram, MergedEqualsRecordedTogether) {
    LatencyHistogram a;
    LatencyHistogram b;
    LatencyHistogram both;
    for (int i = 0; i < 1000; ++i) {
        (i % 3 == 0 ? a : b).record(i * 1000);
        both.record(i * 1000);
    }
    a.merge(b);
    EXPECT_EQ(a.count(), both.count());
    for (const double q : {0.1, 0.5, 0.99}) {
        EXPECT_EQ(a.quantileNs(q), both.quantileNs(q));
    }
}

TEST(LatencyHistogram, BucketsHoldAllValuesAndMakeAnEqualHistogram) {
    std::mt19937_64 random(3);
    std::lognormal_distribution<double> values(10, 3);
    LatencyHistogram histogram;
    for (int i = 0; i < 5000; ++i) {
        histogram.record(static_cast<std::int64_t>(std::min(values(random), 1e12)));
    }
    histogram.record(std::int64_t{1} << 50);  // beyond the last bucket
    LatencyHistogram again;
    std::uint64_t count = 0;
    std::uint64_t before = 0;
    for (const LatencyHistogram::Bucket& bucket : histogram.buckets()) {
        EXPECT_GT(bucket.count, 0U);
        EXPECT_TRUE(count == 0 || bucket.valueNs > before);
        before = bucket.valueNs;
        count += bucket.count;
        again.record(static_cast<std::int64_t>(bucket.valueNs), bucket.count);
    }
    EXPECT_EQ(count, histogram.count());
    EXPECT_EQ(again.count(), histogram.count());
    EXPECT_EQ(again.percentiles().max, histogram.percentiles().max);
    for (const double q : {0.001, 0.5, 0.99, 0.999, 1.0}) {
        EXPECT_EQ(again.quantileNs(q), histogram.quantileNs(q)) << q;
    }
    EXPECT_TRUE(LatencyHistogram().buckets().empty());
}

TEST(LatencyRecorder, SnapshotEqualsTheHistogram) {
    LatencyRecorder recorder;
    LatencyHistogram histogram;
    for (int i = 0; i < 10000; ++i) {
        recorder.record(i * 37);
        histogram.record(i * 37);
    }
    const LatencyHistogram copy = recorder.snapshot();
    EXPECT_EQ(copy.count(), histogram.count());
    EXPECT_EQ(copy.percentiles().max, histogram.percentiles().max);
    EXPECT_EQ(copy.quantileNs(0.99), histogram.quantileNs(0.99));
}

TEST(LatencyRecorder, TakesExtremesAsTheHistogramDoes) {
    LatencyRecorder recorder;
    recorder.record(std::numeric_limits<std::int64_t>::min());
    recorder.record(std::numeric_limits<std::int64_t>::max());
    const LatencyHistogram copy = recorder.snapshot();
    EXPECT_EQ(copy.count(), 2U);
    EXPECT_EQ(copy.quantileNs(0.5), 0U);
    EXPECT_EQ(copy.quantileNs(1), static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

}  // namespace
}  // namespace verbcast::testing

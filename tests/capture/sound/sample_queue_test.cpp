#include "capture/sound/sample_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

namespace verbcast::testing {
namespace {

/// Two channels: rising from `first`, and the same negated.
void add(SampleQueue& queue, std::int64_t at, std::uint32_t samples, float first) {
    std::vector<float> left(samples), right(samples);
    std::iota(left.begin(), left.end(), first);
    std::transform(left.begin(), left.end(), right.begin(), std::negate<>());
    const std::array<const float*, 2> planes{left.data(), right.data()};
    queue.add(at, planes.data(), samples);
}

std::vector<float> take(SampleQueue& queue, std::uint32_t samples) {
    std::vector<float> taken(std::size_t{samples} * 2);
    queue.take(samples, taken.data());
    return taken;
}

TEST(SampleQueue, JoinsWhatFollows) {
    SampleQueue queue(2);
    EXPECT_TRUE(queue.isEmpty());
    add(queue, 100, 3, 1);
    add(queue, 103, 2, 4);
    add(queue, 200, 1, 9);
    EXPECT_EQ(queue.at(), 100);
    EXPECT_EQ(queue.end(), 105);
    EXPECT_TRUE(queue.isFirstComplete());
    EXPECT_EQ(queue.waiting(), 6);
    EXPECT_EQ(take(queue, 4), (std::vector<float>{1, 2, 3, 4, -1, -2, -3, -4}));
    EXPECT_EQ(queue.at(), 104);
    EXPECT_EQ(take(queue, 1), (std::vector<float>{5, -5}));
    EXPECT_EQ(queue.at(), 200);
    EXPECT_FALSE(queue.isFirstComplete());
}

TEST(SampleQueue, DropsInOneRunOnly) {
    SampleQueue queue(2);
    add(queue, 100, 10, 0);
    add(queue, 5, 10, 0);  // the clock has gone back
    queue.dropBefore(104);
    EXPECT_EQ(queue.at(), 104);
    queue.dropBefore(1000);
    EXPECT_EQ(queue.at(), 5);
    EXPECT_EQ(queue.waiting(), 10);
    queue.clear();
    EXPECT_TRUE(queue.isEmpty());
    EXPECT_EQ(queue.waiting(), 0);
}

TEST(SampleQueue, KeepsOrderOverLongTimes) {
    SampleQueue queue(2);
    float next = 0;
    std::int64_t at = 0;
    for (int i = 0; i < 100; ++i) {
        add(queue, i * std::int64_t{1000}, 1000, static_cast<float>(i) * 1000);
        while (queue.waiting() > 300) {
            EXPECT_EQ(queue.at(), at);
            EXPECT_EQ(take(queue, 200).front(), next);
            next += 200;
            at += 200;
        }
    }
}

}  // namespace
}  // namespace verbcast::testing

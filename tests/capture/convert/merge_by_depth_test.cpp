// Partial renderings against a merge that is written out pixel by pixel.
#include "capture/convert/merge_pictures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kWidth = 37, kHeight = 19;

struct Part {
    VideoFormat format;
    std::vector<std::byte> payload;

    std::byte* at(const Plane& plane, std::uint32_t x, std::uint32_t y) {
        return payload.data() + plane.offset + std::size_t{y} * plane.stride + std::size_t{x} * 4;
    }
    std::uint32_t colour(std::uint32_t x, std::uint32_t y) {
        std::uint32_t value = 0;
        std::memcpy(&value, at(format.planes[0], x, y), 4);
        return value;
    }
    float depth(std::uint32_t x, std::uint32_t y) {
        float value = 0;
        std::memcpy(&value, at(format.depth, x, y), 4);
        return value;
    }
};

/// Few depths, so that many are equal. Rows are padded, differently for each part.
Part randomPart(std::mt19937& random, std::uint32_t padding) {
    Part part{tightFormat(kWidth, kHeight, PixelFormat::rgba), {}};
    part.format.planes[0].stride += padding;
    part.format.payloadBytes += std::uint64_t{padding} * kHeight;
    addDepth(part.format);
    EXPECT_FALSE(formatProblem(part.format)) << *formatProblem(part.format);
    part.payload.resize(part.format.payloadBytes);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
        for (std::uint32_t x = 0; x < kWidth; ++x) {
            const std::uint32_t colour = random();
            const float depth = static_cast<float>(random() % 4) / 3;
            std::memcpy(part.at(part.format.planes[0], x, y), &colour, 4);
            std::memcpy(part.at(part.format.depth, x, y), &depth, 4);
        }
    }
    return part;
}

Part merge(std::vector<Part>& parts, bool withDepth) {
    Part whole{mergedFormat(parts.front().format, withDepth), {}};
    whole.payload.resize(whole.format.payloadBytes);
    std::vector<PartPicture> pictures;
    for (const Part& part : parts) {
        pictures.push_back({&part.format, part.payload.data()});
    }
    mergeByDepth(pictures, whole.format, whole.payload.data());
    return whole;
}

TEST(MergeByDepth, KeepsTheNearestAndOfEqualOnesTheFirst) {
    std::mt19937 random(7);
    for (std::size_t count = 1; count <= 5; ++count) {
        std::vector<Part> parts;
        for (std::size_t i = 0; i < count; ++i) {
            parts.push_back(randomPart(random, static_cast<std::uint32_t>(i) * 4));
        }
        Part whole = merge(parts, true);
        Part colours = merge(parts, false);
        EXPECT_FALSE(colours.format.hasDepth());
        for (std::uint32_t y = 0; y < kHeight; ++y) {
            for (std::uint32_t x = 0; x < kWidth; ++x) {
                Part* nearest = &parts.front();
                for (Part& part : parts) {
                    nearest = part.depth(x, y) < nearest->depth(x, y) ? &part : nearest;
                }
                ASSERT_EQ(whole.colour(x, y), nearest->colour(x, y))
                    << count << " parts at " << x << ", " << y;
                ASSERT_EQ(whole.depth(x, y), nearest->depth(x, y));
                ASSERT_EQ(colours.colour(x, y), nearest->colour(x, y));
            }
        }
    }
}

TEST(MergeByDepth, TreesGiveWhatOneMergeGives) {
    std::mt19937 random(8);
    std::vector<Part> parts;
    for (int i = 0; i < 4; ++i) {
        parts.push_back(randomPart(random, 0));
    }
    std::vector<Part> left{parts[0], parts[1]}, right{parts[2], parts[3]};
    std::vector<Part> halves{merge(left, true), merge(right, true)};
    EXPECT_EQ(merge(halves, true).payload, merge(parts, true).payload);
}

TEST(MergeByDepth, ADepthThatIsNoNumberIsBehindAll) {
    std::mt19937 random(9);
    std::vector<Part> parts{randomPart(random, 0), randomPart(random, 0)};
    const float none = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(parts[0].at(parts[0].format.depth, 3, 2), &none, 4);
    std::memcpy(parts[1].at(parts[1].format.depth, 4, 2), &none, 4);
    Part whole = merge(parts, false);
    EXPECT_EQ(whole.colour(3, 2), parts[1].colour(3, 2));
    EXPECT_EQ(whole.colour(4, 2), parts[0].colour(4, 2));
}

TEST(MergeByDepth, SaysWhatCannotBeMerged) {
    VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    EXPECT_EQ(mergeProblem(format).value_or(""), "it brings no depths");
    addDepth(format);
    EXPECT_FALSE(mergeProblem(format));
    VideoFormat planar = tightFormat(64, 64, PixelFormat::yuv420p);
    addDepth(planar);
    EXPECT_NE(mergeProblem(planar).value_or("").find("yuv420p"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing

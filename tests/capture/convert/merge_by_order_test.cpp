// Stacked pictures with alpha, against the formula in real numbers.
#include "capture/convert/merge_pictures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kColumns = 41, kRows = 17;

struct Layer {
    VideoFormat format;
    std::vector<std::byte> payload;

    std::uint8_t* at(std::uint32_t x, std::uint32_t y) {
        return reinterpret_cast<std::uint8_t*>(payload.data()) + format.planes[0].offset +
               std::size_t{y} * format.planes[0].stride + std::size_t{x} * 4;
    }
};

/// Premultiplied: no colour exceeds its alpha. Rows are padded.
Layer randomLayer(std::mt19937& random, std::uint32_t padding, bool withDepth) {
    Layer layer{tightFormat(kColumns, kRows, PixelFormat::bgra), {}};
    layer.format.planes[0].stride += padding;
    layer.format.payloadBytes += std::uint64_t{padding} * kRows;
    if (withDepth) {
        addDepth(layer.format);
    }
    layer.payload.resize(layer.format.payloadBytes);
    for (std::uint32_t y = 0; y < kRows; ++y) {
        for (std::uint32_t x = 0; x < kColumns; ++x) {
            std::uint8_t* pixel = layer.at(x, y);
            const std::uint32_t alpha = random() % 4 == 0 ? random() % 2 * 255 : random() % 256;
            for (int i = 0; i < 3; ++i) {
                pixel[i] = static_cast<std::uint8_t>(random() % (alpha + 1));
            }
            pixel[3] = static_cast<std::uint8_t>(alpha);
        }
    }
    return layer;
}

Layer inOrder(std::vector<Layer>& layers) {
    Layer whole{mergedFormat(layers.front().format, false), {}};
    whole.payload.resize(whole.format.payloadBytes);
    std::vector<PartPicture> pictures;
    for (const Layer& layer : layers) {
        pictures.push_back({&layer.format, layer.payload.data()});
    }
    mergeByOrder(pictures, whole.format, whole.payload.data());
    return whole;
}

TEST(MergeByOrder, IsOverFromTheFrontToTheBack) {
    std::mt19937 random(11);
    for (std::size_t count = 1; count <= 6; ++count) {
        std::vector<Layer> layers;
        for (std::size_t i = 0; i < count; ++i) {
            layers.push_back(randomLayer(random, static_cast<std::uint32_t>(i) * 4, i % 2 == 1));
        }
        Layer whole = inOrder(layers);
        EXPECT_FALSE(whole.format.hasDepth());
        for (std::uint32_t y = 0; y < kRows; ++y) {
            for (std::uint32_t x = 0; x < kColumns; ++x) {
                double exact[4] = {}, seen = 1;
                for (Layer& layer : layers) {
                    for (int i = 0; i < 4; ++i) {
                        exact[i] += seen * layer.at(x, y)[i];
                    }
                    seen *= 1 - layer.at(x, y)[3] / 255.0;
                }
                for (int i = 0; i < 4; ++i) {
                    // Each further layer adds half a step of rounding, and so does the alpha in front of it.
                    ASSERT_NEAR(whole.at(x, y)[i], exact[i], 0.01 + static_cast<double>(count - 1))
                        << count << " layers at " << x << ", " << y;
                    if (count == 2) {
                        ASSERT_EQ(whole.at(x, y)[i], std::lround(exact[i])) << x << ", " << y;
                    }
                }
            }
        }
    }
}

TEST(MergeByOrder, OpaqueHidesAndClearShowsWhatIsBehind) {
    std::mt19937 random(12);
    std::vector<Layer> layers{randomLayer(random, 0, false), randomLayer(random, 0, false)};
    const std::uint8_t opaque[4] = {10, 20, 30, 255}, clear[4] = {};
    std::memcpy(layers[0].at(3, 2), opaque, 4);
    std::memcpy(layers[0].at(4, 2), clear, 4);
    Layer whole = inOrder(layers);
    EXPECT_EQ(std::memcmp(whole.at(3, 2), opaque, 4), 0);
    EXPECT_EQ(std::memcmp(whole.at(4, 2), layers[1].at(4, 2), 4), 0);
}

TEST(MergeByOrder, ColoursAboveTheirAlphaEndAtWhite) {
    std::mt19937 random(13);
    std::vector<Layer> layers{randomLayer(random, 0, false), randomLayer(random, 0, false)};
    const std::uint8_t tooBright[4] = {200, 0, 0, 10}, white[4] = {255, 255, 255, 255};
    std::memcpy(layers[0].at(0, 0), tooBright, 4);
    std::memcpy(layers[1].at(0, 0), white, 4);
    Layer whole = inOrder(layers);
    EXPECT_EQ(whole.at(0, 0)[0], 255);
    EXPECT_EQ(whole.at(0, 0)[1], 245);
    EXPECT_EQ(whole.at(0, 0)[3], 255);
}

TEST(MergeByOrder, SaysWhatHasNoAlpha) {
    EXPECT_FALSE(orderProblem(tightFormat(64, 64, PixelFormat::rgba)));
    EXPECT_FALSE(orderProblem(tightFormat(64, 64, PixelFormat::bgra)));
    const std::string problem = orderProblem(tightFormat(64, 64, PixelFormat::rgb24)).value_or("");
    EXPECT_NE(problem.find("rgb24"), std::string::npos);
    EXPECT_NE(problem.find("rgba or bgra"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing

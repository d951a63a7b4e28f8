// What is transferred of a frame: the changed bytes and little more.
#include "core/flow/region_blocks.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/transport/path_checks.h"

namespace verbcast::testing {
namespace {

PictureChanges changesOf(std::initializer_list<FrameRect> rects) {
    PictureChanges changes = PictureChanges::none();
    for (const FrameRect& rect : rects) {
        changes.add(rect);
    }
    return changes;
}

/// Size of the blocks, which a path must accept.
std::uint64_t bytesOf(const ChangedBlocks& parts, const VideoFormat& format) {
    const auto bytes = bytesOfBlocks(parts.blocks(), format.payloadBytes);
    EXPECT_TRUE(bytes) << "no path would take them";
    return bytes.value_or(0);
}

TEST(ChangedBlocks, HoldTheBytesOfEachPlane) {
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const std::uint32_t padding : {1U, 1024U}) {
            VideoFormat format = tightFormat(1999, 1001, info.format);
            layOutPlanes(format, padding, 64);
            const FrameRect rect{101, 55, 33, 7};
            const ChangedBlocks parts(format, changesOf({rect, {1900, 900, 99, 101}}));
            std::vector<bool> travels(format.payloadBytes);
            for (const ByteBlock& block : parts.blocks()) {
                for (std::uint64_t row = 0; row < block.rows; ++row) {
                    const auto begin =
                        travels.begin() + static_cast<std::ptrdiff_t>(block.offset + row * block.stride);
                    std::fill_n(begin, block.rowBytes, true);
                }
            }
            ASSERT_FALSE(parts.blocks().empty()) << info.name;
            EXPECT_LT(bytesOf(parts, format), format.payloadBytes / 20) << info.name;
            for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
                const PlaneLayout& layout = info.planes[plane];
                for (std::uint32_t y = rect.y; y < rect.y + 7U; ++y) {
                    for (std::uint32_t x = rect.x; x < rect.x + 33U; ++x) {
                        const std::uint64_t group = (x >> layout.horizontalShift) / layout.pixelsPerGroup;
                        const std::uint64_t at =
                            format.planes[plane].offset +
                            std::uint64_t{y >> layout.verticalShift} * format.planes[plane].stride +
                            group * layout.bytesPerGroup;
                        for (std::uint64_t byte = at; byte < at + layout.bytesPerGroup; ++byte) {
                            ASSERT_TRUE(travels[byte])
                                << info.name << " plane " << plane << " at " << x << "," << y;
                        }
                    }
                }
            }
        }
    }
}

TEST(ChangedBlocks, AFrameTravelsWholeWhereItChangedAllOrNearly) {
    const VideoFormat format = tightFormat(640, 480, PixelFormat::rgba);
    EXPECT_TRUE(ChangedBlocks(format, PictureChanges::all()).blocks().empty());
    EXPECT_TRUE(ChangedBlocks(format, changesOf({{0, 0, 640, 450}})).blocks().empty());
    EXPECT_FALSE(ChangedBlocks(format, changesOf({{0, 0, 640, 300}})).blocks().empty());
    // Thousands of one-pixel runs each cost more than they save.
    const VideoFormat wide = tightFormat(256, 2000, PixelFormat::rgba);
    EXPECT_TRUE(ChangedBlocks(wide, changesOf({{0, 0, 1, 2000}, {128, 0, 1, 2000}, {255, 0, 1, 2000}}))
                    .blocks()
                    .empty());
}

TEST(ChangedBlocks, OfAFrameThatDidNotChangeAByteTravels) {
    const VideoFormat format = tightFormat(640, 480, PixelFormat::v210);
    EXPECT_EQ(bytesOf(ChangedBlocks(format, PictureChanges::none()), format), 1U);
}

TEST(ChangedBlocks, RowsThatNearlyTouchAreOneRun) {
    const VideoFormat format = tightFormat(640, 480, PixelFormat::rgba);
    const ChangedBlocks whole(format, changesOf({{0, 100, 640, 20}}));
    ASSERT_EQ(whole.blocks().size(), 1U);
    EXPECT_EQ(whole.blocks()[0].rows, 1U);
    EXPECT_EQ(whole.blocks()[0].rowBytes, 640U * 4 * 20);
    const ChangedBlocks narrow(format, changesOf({{600, 100, 20, 20}}));
    EXPECT_EQ(narrow.blocks()[0].rows, 20U);
    EXPECT_EQ(narrow.blocks()[0].rowBytes, 80U);
}

}  // namespace
}  // namespace verbcast::testing

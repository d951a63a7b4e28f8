// Comparing pictures: no change is missed, and small changes are reported as small.
#include "core/video/change_finder.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/changes_mirror.h"

namespace verbcast::testing {
namespace {

TEST(PictureComparer, FindsEveryChangeInEveryFormat) {
    std::mt19937 random(3);
    for (const PixelFormatInfo& info : allPixelFormats()) {
        VideoFormat padded = tightFormat(501, 203, info.format);
        layOutPlanes(padded, 512, 4096);
        for (const VideoFormat& format :
             {tightFormat(640, 360, info.format), tightFormat(17, 31, info.format), padded}) {
            SCOPED_TRACE(describe(format));
            std::vector<std::byte> picture(format.payloadBytes);
            PictureComparer comparer;
            ChangesMirror mirror;
            for (int frame = 0; frame < 40; ++frame) {
                ASSERT_TRUE(mirror.follow(format, picture.data(), comparer.compare(format, picture.data())))
                    << frame;
                for (std::uint32_t change = random() % 4; change > 0; --change) {
                    const FrameRect pixel{static_cast<std::uint16_t>(random() % format.width),
                                          static_cast<std::uint16_t>(random() % format.height), 1, 1};
                    eachRow(format, pixel, [&](std::uint64_t at, std::uint64_t bytes) {
                        picture[at + random() % bytes] ^= std::byte{1};
                    });
                }
            }
            EXPECT_EQ(mirror.parts, 39U);
        }
    }
}

TEST(PictureComparer, TellsNothingOfAStillPictureAndLittleOfASmallChange) {
    const VideoFormat format = tightFormat(1920, 1080, PixelFormat::bgra);
    std::vector<std::byte> picture(format.payloadBytes);
    PictureComparer comparer;
    EXPECT_TRUE(comparer.compare(format, picture.data()).isAll()) << "nothing to compare with";
    EXPECT_TRUE(comparer.compare(format, picture.data()).isNone());
    picture[format.planes[0].stride * 500 + 4 * 700] = std::byte{1};
    const PictureChanges changes = comparer.compare(format, picture.data());
    ASSERT_EQ(changes.rects().size(), 1U);
    EXPECT_EQ(changes.rects()[0], (FrameRect{576, 480, 192, 32}));
    comparer.forget();
    EXPECT_TRUE(comparer.compare(format, picture.data()).isAll());
}

TEST(PictureComparer, RowsThatChangePlacesAreAChange) {
    const VideoFormat format = tightFormat(64, 64, PixelFormat::gray);
    std::vector<std::byte> picture(format.payloadBytes);
    std::fill_n(picture.begin() + 64, 64, std::byte{7});
    PictureComparer comparer;
    comparer.compare(format, picture.data());
    std::rotate(picture.begin(), picture.begin() + 64, picture.begin() + 128);
    EXPECT_FALSE(comparer.compare(format, picture.data()).isNone());
}

TEST(PictureComparer, AnotherFormatIsAnotherPicture) {
    const VideoFormat format = tightFormat(64, 64, PixelFormat::rgba);
    VideoFormat other = format;
    other.colour.transfer = 16;
    const std::vector<std::byte> picture(format.payloadBytes);
    PictureComparer comparer;
    comparer.compare(format, picture.data());
    EXPECT_TRUE(comparer.compare(other, picture.data()).isAll());
    EXPECT_TRUE(comparer.compare(other, picture.data()).isNone());
}

}  // namespace
}  // namespace verbcast::testing

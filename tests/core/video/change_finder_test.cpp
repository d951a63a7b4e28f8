// How the changes of a frame to be sent are determined: comparing misses none, and reports small ones as
// small.
#include "core/video/change_finder.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/changes_mirror.h"

namespace verbcast::testing {
namespace {

class ChangeFinding : public ::testing::Test {
  protected:
    /// Looks at the current picture, for which the source reports `told`.
    PictureChanges looked(ChangeFinder& finder, const PictureChanges& told = PictureChanges::all(),
                          bool travels = true) {
        return finder.look(format_, picture_.data(), told, travels);
    }
    void drawDot() { picture_[dots_++] ^= std::byte{255}; }
    void drawAll() {
        for (std::byte& byte : picture_) {
            byte ^= std::byte{255};
        }
    }

    const VideoFormat format_ = tightFormat(384, 128, PixelFormat::gray);
    std::vector<std::byte> picture_ = std::vector<std::byte>(format_.payloadBytes);
    std::size_t dots_ = 0;
};

PictureChanges dot() {
    PictureChanges changes = PictureChanges::none();
    changes.add(FrameRect{1, 2, 3, 4});
    return changes;
}

TEST_F(ChangeFinding, TheSourcesWordIsTakenOrNot) {
    ChangeFinder source(ChangesFrom::Source), off(ChangesFrom::Off), compare(ChangesFrom::Compare);
    EXPECT_EQ(looked(source, dot()).rects().size(), 1U);
    EXPECT_TRUE(looked(source).isAll());
    EXPECT_TRUE(looked(off, dot()).isAll());
    EXPECT_TRUE(looked(compare, dot()).isAll()) << "the first picture";
    EXPECT_TRUE(looked(compare, dot()).isNone());
    drawDot();
    EXPECT_EQ(looked(compare, PictureChanges::none()).rects().size(), 1U)
        << "a source that tells nothing and draws all the same";
}

TEST_F(ChangeFinding, AFrameAfterOneThatWasNotSentStandsForItself) {
    for (const ChangesFrom from : {ChangesFrom::Auto, ChangesFrom::Source, ChangesFrom::Compare}) {
        ChangeFinder finder(from);
        static_cast<void>(looked(finder, dot()));
        static_cast<void>(looked(finder, dot()));
        drawAll();
        finder.skip();
        EXPECT_TRUE(looked(finder, PictureChanges::none()).isAll());
        EXPECT_FALSE(looked(finder, PictureChanges::none()).isAll());
    }
}

TEST_F(ChangeFinding, AutoComparesWhereASourceTellsNothing) {
    ChangeFinder finder(ChangesFrom::Auto);
    EXPECT_TRUE(looked(finder).isAll());
    drawDot();
    EXPECT_FALSE(looked(finder).isAll());
    EXPECT_TRUE(looked(finder).isNone());
    EXPECT_TRUE(looked(finder, PictureChanges::all(), false).isAll()) << "nothing travels";
    EXPECT_TRUE(looked(finder).isAll()) << "the picture before was not looked at";
    EXPECT_FALSE(looked(finder).isAll());
    static_cast<void>(looked(finder, dot()));
    EXPECT_TRUE(looked(finder).isAll()) << "a source that has told once is believed";
}

TEST_F(ChangeFinding, AutoComparesFewPicturesWhereAllOfThemChange) {
    ChangeFinder finder(ChangesFrom::Auto);
    constexpr int kFrames = 4000;
    int compared = 0;
    for (int i = 0; i < kFrames; ++i) {
        drawAll();
        compared += looked(finder).isAll() ? 0 : 1;  // only a comparison reports where: everywhere
    }
    EXPECT_LT(compared, kFrames / 200);
    EXPECT_GT(compared, 5);
    int unseen = 0;
    while (!looked(finder).isNone()) {
        ASSERT_LT(++unseen, 600) << "it looks again now and then";
    }
    EXPECT_TRUE(looked(finder).isNone()) << "and goes on where that pays";
}

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

// How the changes of a frame to be sent are determined.
#include "core/video/change_finder.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace verbcast::testing

// Changes that a program reports for its pictures, of which not all are read, and not all of those are sent.
#include "app/preload/told_changes.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

PictureChanges oneRect(const FrameRect& rect) {
    PictureChanges changes = PictureChanges::none();
    changes.add(rect);
    return changes;
}

TEST(ToldChanges, GoFromTheBottomToTheTopAndFromPicturesThatAreNotSentToThoseThatAre) {
    ToldChanges told;
    told.swapped(oneRect({1, 2, 3, 4}));
    told.reading(0, 100, 50);
    EXPECT_TRUE(told.sending(0).isAll()) << "nothing was sent before";
    told.swapped(oneRect({1, 2, 3, 4}));
    told.reading(1, 100, 50);
    const PictureChanges one = told.sending(1);
    ASSERT_EQ(one.rects().size(), 1U);
    EXPECT_EQ(one.rects()[0], (FrameRect{1, 50 - 2 - 4, 3, 4}));
    told.swapped(oneRect({0, 0, 5, 5}));  // not read
    told.swapped(oneRect({95, 45, 20, 20}));
    told.reading(2, 100, 50);  // not sent
    told.swapped(oneRect({40, 20, 1, 1}));
    told.reading(3, 100, 50);
    told.swapped(PictureChanges::none());
    told.reading(4, 100, 50);
    const PictureChanges three = told.sending(3);
    ASSERT_EQ(three.rects().size(), 3U);
    EXPECT_EQ(three.rects()[1], (FrameRect{95, 0, 5, 5})) << "no more than there is";
    EXPECT_TRUE(told.sending(4).isNone());
    told.swapped(oneRect({1, 1, 1, 1}));
    told.reading(5, 100, 50);
    told.forget();
    EXPECT_TRUE(told.sending(5).isAll()) << "it was read before";
    told.swapped(oneRect({1, 1, 1, 1}));
    told.reading(6, 100, 50);
    EXPECT_TRUE(told.sending(6).isAll()) << "and nothing is known of what came since";
    told.swapped(PictureChanges::all());
    told.reading(7, 100, 50);
    EXPECT_TRUE(told.sending(7).isAll());
}

}  // namespace
}  // namespace verbcast::testing

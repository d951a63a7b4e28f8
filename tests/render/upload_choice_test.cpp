#include "render/upload/upload_choice.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

const std::vector<UploadPath> kBoth{UploadPath::Direct, UploadPath::PersistentPbo};

/// The number of frames until the choice is made, with these costs per frame on each path.
int measure(UploadChoice& choice, double direct, double persistent) {
    int frames = 0;
    while (choice.measuring() && frames < 100) {
        // The first frames are slow on every driver and must not count.
        const double warmUp = frames < 4 ? 1000 * (choice.next() == UploadPath::Direct ? 1 : 2) : 0;
        choice.record(warmUp + (choice.next() == UploadPath::Direct ? direct : persistent));
        ++frames;
    }
    return frames;
}

TEST(UploadChoice, KeepsTheFasterPath) {
    UploadChoice first(kBoth), second(kBoth);
    EXPECT_LE(measure(first, 2.1, 3.4), 24);
    EXPECT_EQ(first.path(), UploadPath::Direct);
    EXPECT_EQ(first.next(), UploadPath::Direct);
    EXPECT_EQ(first.reason(), "direct: 2.1 ms, persistent PBO: 3.4 ms (fastest of 8)");
    measure(second, 3.4, 2.1);
    EXPECT_EQ(second.path(), UploadPath::PersistentPbo);
}

TEST(UploadChoice, ABusyMachineDoesNotDecide) {
    UploadChoice choice(kBoth);
    for (int frame = 0; choice.measuring(); ++frame) {
        const bool direct = choice.next() == UploadPath::Direct;
        const bool undisturbed = frame / 2 == 5;  // one of each path
        choice.record((direct ? 1 : 2) + (undisturbed ? 0 : direct ? 7 : 3));
    }
    EXPECT_EQ(choice.path(), UploadPath::Direct);
}

TEST(UploadChoice, AlternatesWhileMeasuring) {
    UploadChoice choice(kBoth);
    EXPECT_EQ(choice.path(), UploadPath::Measure);
    const auto first = choice.next();
    choice.record(1);
    EXPECT_NE(choice.next(), first);
}

UploadChoice threeMeasured(double direct, double persistent, double pinned) {
    UploadChoice choice({UploadPath::Direct, UploadPath::PersistentPbo, UploadPath::Pinned});
    while (choice.measuring()) {
        choice.record(choice.next() == UploadPath::Direct          ? direct
                      : choice.next() == UploadPath::PersistentPbo ? persistent
                                                                   : pinned);
    }
    return choice;
}

TEST(UploadChoice, ThePathsThatThereAreAreCompared) {
    const UploadChoice choice = threeMeasured(2.1, 3.4, 1.2);
    EXPECT_EQ(choice.path(), UploadPath::Pinned);
    EXPECT_EQ(choice.reason(), "direct: 2.1 ms, persistent PBO: 3.4 ms, pinned: 1.2 ms (fastest of 8)");
}

TEST(UploadChoice, APathThatFailsIsGivenUp) {
    UploadChoice later = threeMeasured(3.4, 2.1, 1.2);
    later.giveUp("the GPU has failed");
    EXPECT_EQ(later.path(), UploadPath::PersistentPbo);
    EXPECT_EQ(later.reason(),
              "direct: 3.4 ms, persistent PBO: 2.1 ms (fastest of 8); pinned: the GPU has failed");

    UploadChoice soon({UploadPath::Direct, UploadPath::PersistentPbo, UploadPath::Pinned});
    soon.record(1);
    soon.record(1);
    soon.giveUp("no driver");
    EXPECT_TRUE(soon.measuring());
    measure(soon, 1, 2);
    EXPECT_EQ(soon.path(), UploadPath::Direct);
    EXPECT_EQ(soon.reason(), "direct: 1.0 ms, persistent PBO: 2.0 ms (fastest of 8); pinned: no driver");

    UploadChoice only({UploadPath::Direct, UploadPath::Pinned});
    only.record(1);
    only.giveUp("no driver");
    EXPECT_EQ(only.path(), UploadPath::Direct);
    EXPECT_EQ(only.reason(), "direct: the only way; pinned: no driver");
}

TEST(UploadChoice, AChoiceThatIsMadeStays) {
    UploadChoice choice(UploadPath::PersistentPbo, "asked for");
    choice.record(1000);
    EXPECT_FALSE(choice.measuring());
    EXPECT_EQ(choice.next(), UploadPath::PersistentPbo);
    EXPECT_EQ(choice.reason(), "asked for");
}

}  // namespace
}  // namespace verbcast::testing

#include "core/memory/slots.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

TEST(Slots, TheLowestFreeOneIsHeldFirst) {
    Slots slots(130, Slots::Begin::Free);  // more than two words of the free set
    EXPECT_EQ(slots.freeCount(), 130U);
    for (std::uint32_t expected = 0; expected < 130; ++expected) {
        EXPECT_EQ(slots.hold(), expected);
    }
    EXPECT_FALSE(slots.hold());
    slots.release(129);
    slots.release(64);
    slots.release(3);
    EXPECT_EQ(slots.freeCount(), 3U);
    EXPECT_EQ(slots.hold(), 3U);
    EXPECT_EQ(slots.hold(), 64U);
    EXPECT_EQ(slots.hold(), 129U);
}

TEST(Slots, ASlotIsFreeAfterItsLastHolder) {
    Slots slots(1, Slots::Begin::Free);
    ASSERT_EQ(slots.hold(), 0U);
    slots.share(0);
    slots.share(0);
    slots.release(0);
    slots.release(0);
    EXPECT_EQ(slots.freeCount(), 0U);
    EXPECT_FALSE(slots.isTaken(0)) << "held is not taken";
    slots.release(0);
    EXPECT_EQ(slots.freeCount(), 1U);
    EXPECT_FALSE(slots.isTaken(0)) << "free is not taken";
}

TEST(Slots, OnlyWhatWasTakenCanBeHeldAsTaken) {
    Slots slots(3, Slots::Begin::Taken);
    EXPECT_EQ(slots.freeCount(), 0U);
    EXPECT_FALSE(slots.hold());
    EXPECT_TRUE(slots.isTaken(2));
    EXPECT_FALSE(slots.isTaken(3)) << "does not exist";
    EXPECT_FALSE(slots.isTaken(~0U));
    EXPECT_TRUE(slots.holdTaken(1));
    EXPECT_FALSE(slots.holdTaken(1)) << "held";
    EXPECT_FALSE(slots.holdTaken(3));
    EXPECT_FALSE(slots.holdTaken(~0U));
    slots.release(1);
    EXPECT_FALSE(slots.holdTaken(1)) << "free";
    EXPECT_EQ(slots.freeCount(), 1U);
}

TEST(Slots, TakingAndReclaimingLeaveHoldersAlone) {
    Slots slots(70, Slots::Begin::Free);
    ASSERT_EQ(slots.hold(), 0U);
    std::vector<std::uint32_t> taken;
    slots.takeFree([&](std::uint32_t slot) { taken.push_back(slot); });
    ASSERT_EQ(taken.size(), 69U);
    EXPECT_EQ(taken.front(), 1U);
    EXPECT_EQ(taken.back(), 69U);
    slots.takeFree([&](std::uint32_t) { ADD_FAILURE() << "none was free"; });
    slots.reclaimTaken();
    EXPECT_EQ(slots.freeCount(), 69U);
    slots.release(0);
    EXPECT_EQ(slots.freeCount(), 70U);
}

TEST(Slots, WakesWhenOneIsFreeAndWhenThePeerIsGone) {
    Slots slots(2, Slots::Begin::Taken);
    slots.freed().arm();
    EXPECT_FALSE(waitReadable({slots.freed().descriptor()}, 0ns));
    slots.reclaimTaken();
    EXPECT_TRUE(waitReadable({slots.freed().descriptor()}, 0ns));
    slots.freed().disarm();
    ASSERT_TRUE(slots.hold());
    slots.freed().arm();
    slots.release(0);
    EXPECT_TRUE(waitReadable({slots.freed().descriptor()}, 0ns));
}

TEST(Slots, TwoSidesNeverShareASlot) {
    // One thread takes free slots for a peer; the other holds, shares and releases slots.
    Slots slots(5, Slots::Begin::Free);
    std::array<std::atomic<int>, 5> users{};
    std::atomic<bool> clash{false};
    const auto use = [&](std::uint32_t slot) {
        clash = clash || users[slot].fetch_add(1) != 0;
        users[slot].fetch_sub(1);
    };
    std::jthread peer([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            slots.takeFree([&](std::uint32_t slot) {
                use(slot);
                EXPECT_TRUE(slots.holdTaken(slot));
                slots.release(slot);
            });
        }
    });
    for (int i = 0; i < 20'000; ++i) {
        if (const auto slot = slots.hold()) {
            use(*slot);
            slots.share(*slot);
            slots.release(*slot);
            slots.release(*slot);
        }
    }
    peer.request_stop();
    peer.join();
    EXPECT_FALSE(clash);
    EXPECT_EQ(slots.freeCount(), 5U);
}

TEST(Slots, CannotBeMadeWithoutDescriptors) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_THROW(Slots(4, Slots::Begin::Free), Error);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace verbcast::testing

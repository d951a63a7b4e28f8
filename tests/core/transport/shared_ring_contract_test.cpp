// The contract of connections that threads other than the owner's may serve, over every transport that
// supports them.
#include <gtest/gtest.h>

#include "core/transport/shared_ring.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

/// Only transports whose connections can be served by other threads.
class SharedRingContract : public TransportPair {
  protected:
    SharedRing& ring() const { return *sink.channel().sharedRing(); }
    void SetUp() override {
        TransportPair::SetUp();
        ASSERT_NE(sink.channel().sharedRing(), nullptr);
        const std::byte word{1};
        ASSERT_EQ(source.channel().send(std::span(&word, 1)), Status::Ok);
        ASSERT_EQ(sink.channel().send(std::span(&word, 1)), Status::Ok);
        ASSERT_TRUE(serveUntil([&] { return !sink.messages.empty() && !source.messages.empty(); }));
        sink.messages.clear();
    }
    void say() {
        const std::byte word{2};
        ASSERT_EQ(source.channel().send(std::span(&word, 1)), Status::Ok);
    }
    bool woken() const { return waitReadable({sink.channel().waitDescriptor()}, 0ns); }
    void settle() {
        while (sink.serve()) {
        }
    }
};

TEST_P(SharedRingContract, ASleepingOwnerIsWokenByTheEndOnly) {
    settle();
    ASSERT_TRUE(ring().readyToSleepUntilEnd());
    say();
    EXPECT_FALSE(woken());
    EXPECT_EQ(ring().processWhileAsleep(), Progress::Worked);
    EXPECT_EQ(sink.messages.size(), 1U);
    source.channel().close();
    EXPECT_TRUE(waitReadable({sink.channel().waitDescriptor()}, kPatience));
}

TEST_P(SharedRingContract, AnotherThreadsTurnLeavesTheWakeUpArmed) {
    settle();
    ASSERT_TRUE(sink.channel().readyToSleep());
    EXPECT_EQ(ring().processWhileAsleep(), Progress::Idle);
    say();
    EXPECT_TRUE(waitReadable({sink.channel().waitDescriptor()}, kPatience));
    EXPECT_EQ(ring().processWhileAsleep(), Progress::Worked);
    ring().descriptorWoke();
    while (ring().processWhileAsleep() == Progress::Worked) {
    }
    EXPECT_FALSE(woken()) << "the doorbell has been heard";
}

TEST_P(SharedRingContract, AWaiterOnTheRingIsWokenByWhatComes) {
    constexpr int kRounds = 2000;
    settle();
    std::jthread saying([&] {
        for (int i = 0; i < kRounds; ++i) {
            const std::byte word{3};
            if (i % 2 == 0) {
                source.channel().sharedRing()->expect(nowNs());
            }
            while (source.channel().send(std::span(&word, 1)) != Status::Ok) {
                static_cast<void>(source.channel().process());
            }
            while (source.channel().process() == Progress::Worked) {
            }
        }
    });
    const Deadline deadline = Deadline::in(kPatience);
    while (sink.messages.size() < kRounds && !deadline.passed()) {
        if (sink.channel().process() == Progress::Idle && ring().readyToWait()) {
            ring().wait(kPatience);
        }
    }
    EXPECT_EQ(sink.messages.size(), kRounds);
}

TEST_P(SharedRingContract, AWaiterOnTheRingCanBeRoused) {
    settle();
    ASSERT_TRUE(ring().readyToWait());
    std::jthread rousing([&] { ring().rouse(); });
    const TimestampNs start = nowNs();
    ring().wait(kPatience);
    EXPECT_LT(nowNs() - start, std::chrono::nanoseconds(kPatience / 2).count());
    EXPECT_FALSE(woken()) << "by the ring alone";
}

TEST_P(SharedRingContract, AWaiterOnTheRingIsWokenAheadOfAFrame) {
    settle();
    SharedRing& peer = *source.channel().sharedRing();
    EXPECT_EQ(ring().frameDue(), 0);
    peer.expect(1'000);
    EXPECT_EQ(ring().frameDue(), 1'000) << "though nobody waited";
    ASSERT_TRUE(ring().readyToWait());
    std::jthread expecting([&] { peer.expect(2'000); });
    const TimestampNs start = nowNs();
    ring().wait(kPatience);
    EXPECT_LT(nowNs() - start, std::chrono::nanoseconds(kPatience / 2).count());
    EXPECT_EQ(ring().frameDue(), 2'000);
    EXPECT_FALSE(woken()) << "by the ring alone";
}

TEST_P(SharedRingContract, OtherThreadsSendWhileTheOwnerSleeps) {
    giveRing(1, 10'000, 4);
    settle();
    ASSERT_TRUE(sink.channel().readyToSleep());
    while (source.serve()) {
    }
    ASSERT_TRUE(source.channel().readyToSleep());
    std::thread submitting([&] {
        for (std::uint32_t slot = 0; slot < 4; ++slot) {
            EXPECT_EQ(source.path().send(frame(slot, 10'000, slot)), Status::Ok);
        }
    });
    submitting.join();
    ASSERT_TRUE(serveUntil([&] { return sink.arrived.size() == 4; }));
}

INSTANTIATE_TEST_SUITE_P(Over, SharedRingContract, ::testing::ValuesIn(transportsThatShareMemory()),
                         transportName);

}  // namespace
}  // namespace verbcast::testing

#include "core/base/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace verbcast {
namespace {

using namespace std::chrono_literals;

TEST(Event, StaysSetUntilCleared) {
    Event event;
    EXPECT_FALSE(event.isSet());
    event.notify();
    event.notify();
    EXPECT_TRUE(event.isSet());
    EXPECT_TRUE(waitReadable({event.descriptor()}, 0ns));
    event.clear();
    EXPECT_FALSE(event.isSet());
    EXPECT_FALSE(waitReadable({event.descriptor()}, 1ms));
}

TEST(ArmedEvent, NoWakeUpIsLost) {
    ArmedEvent event;
    std::atomic<int> produced{0};
    constexpr int kRounds = 20000;
    std::thread producer([&] {
        for (int i = 0; i < kRounds; ++i) {
            produced.store(i + 1);
            event.notify();
        }
    });
    int seen = 0;
    while (seen < kRounds) {
        event.arm();
        if (produced.load() == seen) {
            ASSERT_TRUE(waitReadable({event.descriptor()}, 10s)) << "slept through " << produced.load();
        }
        event.disarm();
        seen = produced.load();
    }
    producer.join();
}

TEST(ArmedEvent, IsSilentWhileNobodyWaits) {
    ArmedEvent event;
    event.notify();
    EXPECT_FALSE(waitReadable({event.descriptor()}, 0ns));
}

}  // namespace
}  // namespace verbcast

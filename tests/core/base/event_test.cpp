#include "core/base/os/event.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "core/base/os/spin.h"
#include "tests/support/patience.h"

namespace verbcast::testing {
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

TEST(WaitReadable, TellsWhichOneWoke) {
    const Event silent;
    const Event set;
    set.notify();
    const std::array descriptors{silent.descriptor(), -1, set.descriptor()};
    std::uint32_t readable = ~0U;
    EXPECT_TRUE(waitReadable(descriptors, Deadline::in(1s), &readable));
    EXPECT_EQ(readable, 0b100U);
    set.clear();
    EXPECT_FALSE(waitReadable(descriptors, Deadline::in(0ns), &readable));
    EXPECT_EQ(readable, 0U);
}

TEST(WaitReadable, LooksAtHoweverManyThereAre) {
    const Event set;
    set.notify();
    std::vector<int> descriptors(40, -1);
    EXPECT_FALSE(waitReadable(descriptors, 0ns));
    descriptors.back() = set.descriptor();
    EXPECT_TRUE(waitReadable(descriptors, 1s));
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

TEST(ArmedEvent, StaysSetForNobodyWhenItsNotifierIsLate) {
    ArmedEvent event;
    constexpr int kRounds = 20000;
    std::atomic<int> armed{0};
    std::atomic<int> notified{0};
    std::thread notifier([&] {
        for (int round = 1; round <= kRounds; ++round) {
            while (armed.load() < round) {
            }
            event.notify();
            notified.store(round);
        }
    });
    int stale = 0;
    for (int round = 1; round <= kRounds; ++round) {
        event.arm();
        armed.store(round);
        for (int turn = 0; turn < round % 64; ++turn) {
            relax();
        }
        event.disarm();  // if the notifier has taken the flag, it may set the event only now
        while (notified.load() < round) {
        }
        event.arm();
        stale += waitReadable({event.descriptor()}, 0ns) ? 1 : 0;
        event.disarm();
    }
    notifier.join();
    EXPECT_EQ(stale, 0) << "of " << kRounds << " waits ended although nobody had notified";
}

TEST(ArmedEvent, ArmedTwiceIsClearedWhole) {
    ArmedEvent event;
    event.arm();
    event.notify();
    event.arm();
    EXPECT_FALSE(waitReadable({event.descriptor()}, 0ns)) << "the notice of the first time is still there";
    event.notify();
    EXPECT_TRUE(waitReadable({event.descriptor()}, 0ns));
    event.disarm();
    event.disarm();
    EXPECT_FALSE(waitReadable({event.descriptor()}, 0ns));
    event.arm();
    event.notify();
    EXPECT_TRUE(waitReadable({event.descriptor()}, 0ns));
    event.disarm();
    EXPECT_FALSE(waitReadable({event.descriptor()}, 0ns));
}

TEST(ArmedEvent, IsSilentWhileNobodyWaits) {
    ArmedEvent event;
    event.notify();
    EXPECT_FALSE(waitReadable({event.descriptor()}, 0ns));
}

TEST(Deadline, NeverDoesNotPass) {
    EXPECT_FALSE(Deadline::never().passed());
    EXPECT_TRUE(Deadline::never().isNever());
    EXPECT_TRUE(Deadline::in(std::chrono::nanoseconds::max()).isNever());
    EXPECT_TRUE(Deadline::in(std::chrono::nanoseconds::max() - 1s).isNever()) << "beyond the clock";
    EXPECT_EQ(Deadline::never().left(), std::chrono::nanoseconds::max());
}

TEST(Deadline, PassesWhenItsTimeIsOver) {
    EXPECT_TRUE(Deadline::in(0ns).passed());
    EXPECT_TRUE(Deadline::in(-1h).passed());
    EXPECT_EQ(Deadline::in(-1h).left(), 0ns);
    const Deadline soon = Deadline::in(1h);
    EXPECT_FALSE(soon.passed());
    EXPECT_GT(soon.left(), 59min);
    EXPECT_LE(soon.left(), 1h);
}

TEST(Deadline, TheSoonerOfTwo) {
    EXPECT_FALSE(earlier(Deadline::never(), Deadline::in(1h)).isNever());
    EXPECT_TRUE(earlier(Deadline::in(1h), Deadline::in(-1s)).passed());
    EXPECT_TRUE(earlier(Deadline::never(), Deadline::never()).isNever());
}

TEST(WaitFor, AsksAtLeastOnceEvenWhenItIsLate) {
    ArmedEvent changed;
    Event cancel;
    cancel.notify();
    int asked = 0;
    EXPECT_EQ(waitFor(
                  changed, [&] { return ++asked > 0; }, Deadline::in(-1s), &cancel),
              Status::Ok);
    EXPECT_EQ(asked, 1) << "not again once it gave true";
}

TEST(WaitFor, EndsAtTheDeadlineAndWhenCancelled) {
    ArmedEvent changed;
    const auto never = [] { return false; };
    const TimestampNs start = nowNs();
    EXPECT_EQ(waitFor(changed, never, Deadline::in(20ms)), Status::TimedOut);
    EXPECT_GE(nowNs() - start, 20'000'000);
    Event cancel;
    std::jthread cancelling([&] { cancel.notify(); });
    EXPECT_EQ(waitFor(changed, never, Deadline::never(), &cancel), Status::Cancelled);
    EXPECT_EQ(waitFor(changed, never, Deadline::in(-1s), &cancel), Status::Cancelled) << "rather than late";
    changed.notify();
    EXPECT_FALSE(waitReadable({changed.descriptor()}, 0ns)) << "nobody is left armed";
}

TEST(WaitFor, ALookLeavesWhoWaits) {
    ArmedEvent changed;
    const Event cancel;
    std::atomic<bool> done{false};
    std::atomic<int> asked{0};
    auto waiting = std::async(std::launch::async, [&] {
        const auto ask = [&] {
            ++asked;
            return done.load();
        };
        return waitFor(changed, ask, Deadline::never(), &cancel);
    });
    while (asked < 2) {  // before the second time it is armed
        std::this_thread::yield();
    }
    EXPECT_EQ(waitFor(
                  changed, [] { return false; }, Deadline::in(0s)),
              Status::TimedOut);
    done = true;
    changed.notify();
    EXPECT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
    cancel.notify();
    EXPECT_EQ(waiting.get(), Status::Ok);
}

TEST(WaitFor, LooksWheneverSomethingChanged) {
    ArmedEvent changed;
    std::atomic<int> value{0};
    std::jthread changing([&] {
        for (int i = 0; i < 1000; ++i) {
            ++value;
            changed.notify();
        }
    });
    EXPECT_EQ(waitFor(
                  changed, [&] { return value == 1000; }, Deadline::in(20s)),
              Status::Ok);
}

TEST(WaitFor, LooksWhenAnotherDescriptorIsReadable) {
    ArmedEvent changed;
    const Event other;
    std::atomic<bool> done{false};
    std::jthread changing([&] {
        done = true;
        other.notify();
    });
    EXPECT_EQ(waitFor(changed, [&] { return done.load(); }, Deadline::in(20s), nullptr, {other.descriptor()}),
              Status::Ok);
}

}  // namespace
}  // namespace verbcast::testing

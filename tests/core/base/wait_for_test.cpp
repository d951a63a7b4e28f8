#include "core/base/os/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

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

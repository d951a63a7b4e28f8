#include "core/transport/rdma/background_tasks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "core/base/os/event.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

TEST(BackgroundTasks, WakeNobodyOnceTheyAreFinished) {
    BackgroundTasks tasks;
    int stale = 0;
    constexpr int kRounds = 2000;
    for (int round = 0; round < kRounds; ++round) {
        bool used = false;
        tasks.start([&used] { return [&used] { used = true; }; });
        while (!tasks.anyDone()) {
        }
        tasks.finish();  // perhaps before the task's thread has reported that it is done
        ASSERT_TRUE(used);
        stale += waitReadable({tasks.descriptor()}, 0ns) ? 1 : 0;
    }
    EXPECT_EQ(stale, 0) << "of " << kRounds << " tasks left the descriptor readable";
}

TEST(BackgroundTasks, TellOfTheNextOneAfterAFailure) {
    BackgroundTasks tasks;
    tasks.start([]() -> BackgroundTasks::Use { throw std::runtime_error("no"); });
    bool used = false;
    tasks.start([&used] { return [&used] { used = true; }; });
    EXPECT_TRUE(waitReadable({tasks.descriptor()}, 10s));
    while (!tasks.anyDone()) {
    }
    EXPECT_THROW(tasks.finish(), std::runtime_error);
    while (!tasks.anyDone()) {
    }
    tasks.finish();
    EXPECT_TRUE(used);
}

}  // namespace
}  // namespace verbcast::testing

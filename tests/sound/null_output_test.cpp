#include "render/sound/null_output.h"

#include <gtest/gtest.h>

#include "tests/sound/counting_filler.h"
#include "tests/sound/sound_support.h"

namespace verbcast::testing {
namespace {

TEST(NullOutput, TakesSoundAtItsRate) {
    CountingFiller filler;
    const TimestampNs before = nowNs();
    {
        const auto output =
            openSoundOutput({.device = "none", .rate = 44'100, .channels = 3, .name = "test"}, filler);
        ASSERT_TRUE(comesTrue([&] { return filler.filled() >= 441 * 10; }));
        EXPECT_EQ(output->status().rate, 44'100U);
        EXPECT_EQ(output->status().channels, 3U);
        EXPECT_EQ(output->status().problem, "");
    }
    const double seconds = static_cast<double>(nowNs() - before) * 1e-9;
    EXPECT_LE(static_cast<double>(filler.filled()), 44'100 * (seconds + 0.02));
    EXPECT_GE(filler.heardAt(0), before + 10'000'000);
    // By the sample, not by the period.
    EXPECT_EQ(filler.heardAt(4410) - filler.heardAt(0), 100'000'000);
}

}  // namespace
}  // namespace verbcast::testing

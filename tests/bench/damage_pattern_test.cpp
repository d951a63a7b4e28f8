// Partly changing frames: every byte is predictable, and exactly the reported changes happen.
#include "app/bench/workers/damage_pattern.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/changes_mirror.h"

namespace verbcast::testing {
namespace {

std::uint64_t pixelsIn(const PictureChanges& changes) {
    std::uint64_t pixels = 0;
    for (const FrameRect& rect : changes.rects()) {
        pixels += std::uint64_t{rect.width} * rect.height;
    }
    return pixels;
}

TEST(DamagePattern, TellsWhatChangesAndKnowsEveryByte) {
    for (const PixelFormat pixelFormat : {PixelFormat::rgba, PixelFormat::nv12, PixelFormat::yuv420p10le}) {
        for (const double percent : {0.0, 1.0, 10.0, 33.0, 100.0}) {
            const VideoFormat format = tightFormat(50, 120, pixelFormat);
            const DamagePattern pattern(format, percent);
            // Slots that are reused after one, two or more frames.
            std::vector<std::vector<std::byte>> slots(3, std::vector<std::byte>(format.payloadBytes));
            std::vector<std::optional<std::uint64_t>> holds(slots.size());
            ChangesMirror mirror;
            for (std::uint64_t frame = 0; frame < 60; ++frame) {
                const std::size_t slot = frame * frame % slots.size();
                std::byte* payload = slots[slot].data();
                pattern.draw(payload, holds[slot], frame);
                holds[slot] = frame;
                ASSERT_TRUE(pattern.isRight(payload, frame)) << percent << " %, frame " << frame;
                EXPECT_EQ(pattern.isRight(payload, frame + 1), percent == 0);
                const PictureChanges told = pattern.changes(frame);
                EXPECT_NEAR(static_cast<double>(pixelsIn(told)) / (50 * 120), percent / 100, 1.0 / 60);
                ASSERT_TRUE(mirror.follow(format, payload, frame == 0 ? PictureChanges::all() : told))
                    << percent << " %, frame " << frame;
                payload[frame * 37 % format.payloadBytes] ^= std::byte{1};
                EXPECT_FALSE(pattern.isRight(payload, frame));
                payload[frame * 37 % format.payloadBytes] ^= std::byte{1};
            }
        }
    }
}

}  // namespace
}  // namespace verbcast::testing

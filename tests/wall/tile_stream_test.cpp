// A display of a wall whose picture several senders draw shows a frame when every part of it has come.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <thread>

#include "app/view/source/tile_stream.h"
#include "tests/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kSources = 3;

ViewedTile threeSources() {
    ViewedTile tile;
    tile.wall = {.width = 96, .height = 32, .gaps = false, .displays = {}, .sources = {}};
    tile.display.name = "all";
    tile.display.rectangle = {0, 0, 96, 32};
    for (std::uint16_t i = 0; i < kSources; ++i) {
        tile.wall.sources.push_back({.name = std::to_string(i),
                                     .rectangle = {static_cast<std::uint16_t>(32 * i), 0, 32, 32},
                                     .url = {}});
    }
    return tile;
}

/// The number that each word of the picture says; nothing when they are not the same.
std::optional<std::uint64_t> numberIn(const ReceivedFrame& frame) {
    std::uint64_t first = 0;
    std::memcpy(&first, frame.lease.data(), sizeof first);
    for (std::uint64_t at = 0; at < frame.format->payloadBytes; at += sizeof first) {
        std::uint64_t word = 0;
        std::memcpy(&word, frame.lease.data() + at, sizeof word);
        if (word != first) {
            return std::nullopt;
        }
    }
    return first;
}

class TileStreamOver : public ::testing::TestWithParam<TransportUnderTest> {};

/// Senders that drop frames, each others. VERBCAST_TILE_FRAMES: how many are looked at.
TEST_P(TileStreamOver, GivesNoFrameThatIsMixed) {
    const char* wanted = std::getenv("VERBCAST_TILE_FRAMES");
    const std::uint64_t frames = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 400;
    std::vector<std::unique_ptr<Broadcast>> senders;
    std::vector<ReceiverOptions> receivers;
    for (std::size_t i = 0; i < kSources; ++i) {
        senders.push_back(std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest)));
        receivers.push_back(receiverOptions(*senders.back()));
    }
    TileStream tile(threeSources(), receivers, 4);
    std::vector<std::jthread> sending;
    for (std::size_t i = 0; i < kSources; ++i) {
        sending.emplace_back([&, i](const std::stop_token& stop) {
            std::mt19937 random(static_cast<unsigned>(i));
            TestSource source(tightFormat(32, 32, PixelFormat::rgba));
            constexpr TimestampNs kPeriod = 200'000;
            while (!stop.stop_requested()) {
                // By the clock that they share, and some frames are left out.
                const auto next = static_cast<std::uint64_t>(nowNs() / kPeriod) + 1;
                std::this_thread::sleep_for(
                    std::chrono::nanoseconds(static_cast<TimestampNs>(next) * kPeriod - nowNs()));
                if (random() % 16 != 0 && next > source.next) {
                    source.next = next;
                    static_cast<void>(source.send(*senders[i]));
                    source.next = next;
                }
            }
        });
    }
    std::uint64_t seen = 0, last = 0, mixed = 0;
    const Deadline deadline = Deadline::in(wanted != nullptr ? std::chrono::seconds(3000) : kLimit * 2);
    while (seen < frames && !deadline.passed()) {
        ReceivedFrame frame;
        if (tile.receive(frame, 50ms) != Status::Ok) {
            continue;
        }
        ASSERT_FALSE(frame.region->isNone()) << tile.misfit();
        const auto number = numberIn(frame);
        mixed += number ? 0 : 1;
        EXPECT_TRUE(seen == 0 || !number || *number > last) << "in order";
        last = number.value_or(last);
        EXPECT_EQ(static_cast<std::uint64_t>(frame.info.pts), last);
        ++seen;
        tile.frameShown(frame);
    }
    EXPECT_EQ(mixed, 0U);
    EXPECT_EQ(seen, frames) << tile.status().text;
    const StreamStats stats = tile.stats();
    EXPECT_EQ(stats.framesTransferred, frames);
    EXPECT_EQ(stats.framesShown, frames);
    tile.end();
}

INSTANTIATE_TEST_SUITE_P(Over, TileStreamOver, ::testing::ValuesIn(transportsUnderTest()), transportName);

}  // namespace
}  // namespace verbcast::testing

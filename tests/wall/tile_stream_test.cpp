// A display whose picture several senders draw shows a frame once every part of it has arrived.
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstdlib>
#include <random>
#include <thread>

#include "app/view/tile/tile_stream.h"
#include "tests/core/session/core_support.h"

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

/// The number in each word of the picture; nothing if they differ.
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

/// Each sender drops different frames. VERBCAST_TILE_FRAMES: how many frames are checked.
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
    // Over libfabric each row is a separate write: at too high a rate the senders would drop so many frames
    // that hardly any would be complete.
    const TimestampNs period = GetParam().scheme() == "ofi" ? 3'000'000 : 200'000;
    // All send the same frame at once, however late one of them is, but each skips some.
    std::barrier nextFrame(kSources);
    std::vector<std::jthread> sending;
    for (std::size_t i = 0; i < kSources; ++i) {
        sending.emplace_back([&, i](const std::stop_token& stop) {
            std::mt19937 random(static_cast<unsigned>(i));
            TestSource source(tightFormat(32, 32, PixelFormat::rgba));
            for (std::uint64_t number = 1; !stop.stop_requested(); ++number) {
                std::this_thread::sleep_for(std::chrono::nanoseconds(period));
                nextFrame.arrive_and_wait();
                if (random() % 16 != 0) {
                    source.next = number;
                    static_cast<void>(source.send(*senders[i]));
                }
            }
            nextFrame.arrive_and_drop();
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
    // Shared memory is read in place, so its parts are copied; others are written directly into the frame.
    const std::uint64_t copies = GetParam() == "shm" ? 1 : 0;
    EXPECT_EQ(stats.bytesAssembled, copies * frames * 96 * 32 * 4);
    tile.end();
}

/// No frame is shown meanwhile, and none is lost.
TEST_P(TileStreamOver, NamesASourceThatChangesItsSizeAndGoesOnOnceItFitsAgain) {
    constexpr std::uint64_t kEach = 4;  // frames that fit, that do not, and that fit again
    std::vector<std::unique_ptr<Broadcast>> senders;
    std::vector<ReceiverOptions> receivers;
    for (std::size_t i = 0; i < kSources; ++i) {
        senders.push_back(std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Lossless)));
        receivers.push_back(receiverOptions(*senders.back()));
    }
    TileStream tile(threeSources(), receivers, 4);
    std::vector<std::jthread> sending;
    for (std::size_t i = 0; i < kSources; ++i) {
        sending.emplace_back([&, i] {
            std::uint64_t next = 0;
            for (const std::uint32_t width : {32U, i == 1 ? 48U : 32U, 32U}) {
                TestSource source(tightFormat(width, 32, PixelFormat::rgba));
                for (source.next = next; source.next < next + kEach;) {
                    EXPECT_EQ(source.sendToWhoComes(*senders[i]), Status::Ok);
                }
                next = source.next;
            }
        });
    }
    const Deadline deadline = Deadline::in(kLimit * 2);
    for (std::uint64_t seen = 0; seen < 3 * kEach;) {
        ASSERT_FALSE(deadline.passed()) << seen << ": " << tile.status().text;
        ReceivedFrame frame;
        if (tile.receive(frame, 50ms) != Status::Ok) {
            continue;
        }
        EXPECT_EQ(static_cast<std::uint64_t>(frame.info.pts), seen);
        const bool fits = seen / kEach != 1;
        EXPECT_EQ(frame.fits(), fits) << seen;
        EXPECT_EQ(tile.misfit(), fits ? "" : "the pictures of 1 have 48x32 pixels, 32x32 expected") << seen;
        EXPECT_TRUE(!fits || numberIn(frame) == seen) << seen;
        ++seen;
    }
    sending.clear();
    tile.end();
    EXPECT_EQ(tile.stats().framesDropped, 0U);
    EXPECT_EQ(tile.stats().framesLost, 0U);
}

VERBCAST_OVER_TRANSPORTS(TileStreamOver, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing

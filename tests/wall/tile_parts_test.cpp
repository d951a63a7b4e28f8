// Several senders write into one slot of a display's ring: each only its own part.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "app/view/tile/tile_stream.h"
#include "tests/core/session/core_support.h"
#include "tests/support/changes_mirror.h"
#include "tests/support/raw_tcp_peer.h"

namespace verbcast::testing {
namespace {

/// A canvas drawn by a grid of sources, and a display of a part of it.
ViewedTile tileOf(std::uint16_t columns, std::uint16_t rows, const FrameRect& one, const FrameRect& display) {
    ViewedTile tile;
    tile.wall = {.width = std::uint32_t{columns} * one.width,
                 .height = std::uint32_t{rows} * one.height,
                 .gaps = true,
                 .displays = {},
                 .sources = {}};
    tile.display.name = "one";
    tile.display.rectangle = display;
    for (std::uint16_t i = 0; i < columns * rows; ++i) {
        tile.wall.sources.push_back(
            {.name = std::to_string(i),
             .rectangle = {static_cast<std::uint16_t>(i % columns * one.width),
                           static_cast<std::uint16_t>(i / columns * one.height), one.width, one.height},
             .url = {}});
    }
    return tile;
}

std::vector<std::byte> rowsOf(const VideoFormat& format, const std::byte* payload) {
    std::vector<std::byte> bytes;
    eachRow(format, wholePicture(format), [&](std::uint64_t at, std::uint64_t count) {
        bytes.insert(bytes.end(), payload + at, payload + at + count);
    });
    return bytes;
}

/// The sources of a wall, which together draw one canvas of noise.
class Canvas {
  public:
    Canvas(const ViewedTile& tile, PixelFormat pixels, const std::vector<TransportUnderTest>& transports)
        : tile_(tile), format_(tightFormat(tile.wall.width, tile.wall.height, pixels)) {
        picture_.resize(format_.payloadBytes);
        draw(wholePicture(format_));
        for (std::size_t i = 0; i < tile.wall.sources.size(); ++i) {
            SenderOptions options = senderOptions(transports[i % transports.size()], Policy::Lossless);
            options.stallTimeout = kLimit;
            senders_.push_back(std::make_unique<Broadcast>(options));
            const FrameRect& rect = tile.wall.sources[i].rectangle;
            sources_.emplace_back(tightFormat(rect.width, rect.height, pixels), 4);
        }
    }
    std::vector<ReceiverOptions> receivers() const {
        std::vector<ReceiverOptions> receivers;
        for (const auto& sender : senders_) {
            receivers.push_back(receiverOptions(*sender));
        }
        return receivers;
    }
    void draw(const FrameRect& rect) {
        eachRow(format_, rect, [this](std::uint64_t at, std::uint64_t count) {
            for (std::uint64_t i = 0; i < count; ++i) {
                picture_[at + i] = static_cast<std::byte>(random_());
            }
        });
    }
    /// Sends each source's part of the picture from a thread of its own.
    void send(std::int64_t pts, const PictureChanges& changes) {
        std::vector<std::jthread> sending;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            sending.emplace_back([&, i] {
                TestSource& source = sources_[i];
                const FrameRect& rect = tile_.wall.sources[i].rectangle;
                auto lease = source.pool->acquire(kLimit, &source.never);
                ASSERT_TRUE(lease);
                copyPart(format_, picture_.data(), rect, source.format, lease->data(), {0, 0});
                FrameInfo info;
                info.pts = pts;
                changesWithin(changes, rect).tellIn(info);
                Status status = Status::Busy;
                while ((status = senders_[i]->submit(std::move(*lease), source.format, info, source.never)) ==
                       Status::Busy) {
                    ASSERT_EQ(senders_[i]->waitForReceiver(kLimit, source.never), Status::Ok);
                }
                EXPECT_EQ(status, Status::Ok);
            });
        }
    }
    ::testing::AssertionResult isIn(const ReceivedFrame& frame) const {
        const FrameRect held = alignedRegion(format_, tile_.display.rectangle);
        const VideoFormat part = regionFormat(format_, held);
        std::vector<std::byte> expected(part.payloadBytes);
        copyPart(format_, picture_.data(), held, part, expected.data(), {0, 0});
        if (!frame.fits() || frame.format->payloadBytes != part.payloadBytes) {
            return ::testing::AssertionFailure() << "no frame of the display";
        }
        return rowsOf(part, expected.data()) == rowsOf(*frame.format, frame.lease.data())
                   ? ::testing::AssertionSuccess()
                   : ::testing::AssertionFailure()
                         << "frame " << frame.info.pts << " is another picture of " << describe(format_);
    }
    const VideoFormat& format() const { return format_; }
    std::uint32_t dice(std::uint32_t sides) { return static_cast<std::uint32_t>(random_()) % sides; }
    std::mt19937& random() { return random_; }

  private:
    const ViewedTile tile_;
    const VideoFormat format_;
    std::vector<std::byte> picture_;
    std::vector<std::unique_ptr<Broadcast>> senders_;
    std::vector<TestSource> sources_;
    std::mt19937 random_{9};
};

::testing::AssertionResult take(TileStream& tile, ReceivedFrame& frame) {
    const Deadline deadline = Deadline::in(kLimit);
    while (!deadline.passed()) {
        if (tile.receive(frame, 100ms) == Status::Ok) {
            return ::testing::AssertionSuccess();
        }
    }
    return ::testing::AssertionFailure() << "no frame: " << tile.status().text;
}

class TilePartsOver : public TransportSuite {
  protected:
    bool writes() const { return GetParam() != "shm"; }
};

TEST_P(TilePartsOver, AreThePictureInEveryPixelFormatAlsoWhereOnlySomeOfItChanges) {
    const ViewedTile tile = tileOf(2, 2, {0, 0, 192, 96}, {96, 40, 192, 100});
    for (const PixelFormatInfo& info : allPixelFormats()) {
        Canvas canvas(tile, info.format, {GetParam()});
        TileStream stream(tile, canvas.receivers(), 4);
        std::uint64_t bytes = 0;
        for (int i = 0; i < 12; ++i) {
            PictureChanges changes = i == 0 ? PictureChanges::all() : PictureChanges::none();
            for (std::uint32_t rects = canvas.dice(3); i > 0 && rects > 0; --rects) {
                const FrameRect rect = randomRect(canvas.format(), canvas.random(), 3);
                canvas.draw(rect);
                changes.add(rect);
            }
            canvas.send(i, changes);
            ReceivedFrame frame;
            ASSERT_TRUE(take(stream, frame)) << describe(canvas.format());
            ASSERT_TRUE(canvas.isIn(frame));
            bytes += tightBytes(*frame.format);
            stream.frameShown(frame);
        }
        stream.end();
        const StreamStats stats = stream.stats();
        EXPECT_EQ(stats.bytesAssembled, writes() ? 0 : bytes) << describe(canvas.format());
        EXPECT_EQ(stats.framesDropped, 0U);
    }
}

/// One source is read in place, the others write: only the part of the first is copied.
TEST_P(TilePartsOver, AreCopiedOnlyOfThoseThatCannotWrite) {
    const ViewedTile tile = tileOf(3, 1, {0, 0, 64, 64}, {0, 0, 192, 64});
    Canvas canvas(tile, PixelFormat::rgba, {{"shm", "shm://test-#"}, GetParam(), GetParam()});
    TileStream stream(tile, canvas.receivers(), 4);
    for (int i = 0; i < 10; ++i) {
        canvas.draw(wholePicture(canvas.format()));
        canvas.send(i, PictureChanges::all());
        ReceivedFrame frame;
        ASSERT_TRUE(take(stream, frame));
        ASSERT_TRUE(canvas.isIn(frame));
    }
    stream.end();
    EXPECT_EQ(stream.stats().bytesAssembled, 10 * (writes() ? 1U : 3U) * 64 * 64 * 4);
}

/// Each frame maps to the place of the frame that is shown until it arrives.
TEST_P(TilePartsOver, FindASlotThoughTheConsumerHoldsTheLastOneOfTheirPlace) {
    const ViewedTile tile = tileOf(2, 1, {0, 0, 64, 64}, {0, 0, 128, 64});
    Canvas canvas(tile, PixelFormat::rgba, {GetParam()});
    TileStream stream(tile, canvas.receivers(), 3);
    std::vector<ReceivedFrame> held;
    for (int i = 0; i < 40; ++i) {
        canvas.draw(wholePicture(canvas.format()));
        canvas.send(std::int64_t{i} * 7 * 11 * 13, PictureChanges::all());
        ReceivedFrame frame;
        ASSERT_TRUE(take(stream, frame)) << i;
        ASSERT_TRUE(canvas.isIn(frame));
        held.push_back(std::move(frame));
        if (held.size() == 3) {
            held.erase(held.begin());
        }
    }
    stream.end();
    EXPECT_EQ(stream.stats().framesDropped, 0U);
}

TEST_P(TilePartsOver, OfEncryptedStreamsAreThePicture) {
    const ViewedTile tile = tileOf(2, 1, {0, 0, 64, 64}, {16, 16, 96, 32});
    const NamedKey key{kSharedKeyName, SessionKey::random()};
    std::vector<std::unique_ptr<Broadcast>> senders;
    std::vector<ReceiverOptions> receivers;
    for (int i = 0; i < 2; ++i) {
        SenderOptions options = senderOptions(GetParam(), Policy::Lossless);
        options.trust = {.key = key, .encrypt = true};
        senders.push_back(std::make_unique<Broadcast>(options));
        receivers.push_back(receiverOptions(*senders.back()));
        receivers.back().trust = options.trust;
    }
    TileStream stream(tile, receivers, 4);
    std::vector<TestSource> sources;
    sources.emplace_back(tightFormat(64, 64, PixelFormat::rgba), 4);
    sources.emplace_back(tightFormat(64, 64, PixelFormat::rgba), 4);
    for (std::uint64_t i = 0; i < 20; ++i) {
        {
            std::jthread other([&] { EXPECT_EQ(sources[1].sendToWhoComes(*senders[1]), Status::Ok); });
            ASSERT_EQ(sources[0].sendToWhoComes(*senders[0]), Status::Ok);
        }
        ReceivedFrame frame;
        ASSERT_TRUE(take(stream, frame));
        EXPECT_TRUE(isWhole(frame));
        EXPECT_EQ(frame.format->payloadBytes, 96U * 32 * 4);
    }
    stream.end();
    EXPECT_EQ(stream.stats().cipher.refused, 0U);
    EXPECT_EQ(stream.stats().bytesAssembled, writes() ? 0 : 20U * 96 * 32 * 4);
}

VERBCAST_OVER_TRANSPORTS(TilePartsOver, transportsUnderTest());

/// The left source is a hand-written peer, to which the display listens; the other is a Broadcast.
class TilePartsByHand : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kWord = 0x0101010101010101;

    void start() {
        ReceiverOptions listening;
        listening.url = parseUrl("tcp://127.0.0.1:0");
        listening.listen = true;
        listening.peerTimeout = kLimit;
        receivers_.push_back(listening);
        receivers_.push_back(receiverOptions(sender_));
        stream_ = std::make_unique<TileStream>(tile_, receivers_, 4);
    }
    /// Connects to the address in the display's status, once no other peer is connected.
    std::unique_ptr<RawTcpPeer> call(std::uint64_t features = kCutsRegions | kPlacesParts) {
        EXPECT_TRUE(eventually([&] {
            const StreamState state = stream_->status().state;
            return state != StreamState::Connected && state != StreamState::Streaming;
        }));
        if (const std::string text = stream_->status().text; address_.empty()) {
            address_ = text.substr(text.find("tcp://"));
        }
        auto peer = std::make_unique<RawTcpPeer>(parseUrl(address_));
        peer->features = features;
        peer->greet(Role::Sender);
        peer->say(FormatMessage{0, 1, Policy::Latest, 0, TrackFormat::ofVideo(format_)});
        EXPECT_TRUE(peer->hearUntil([&] { return peer->placed.size() >= 5 || !peer->credits.empty(); }));
        EXPECT_EQ(peer->place.has_value(), (features & kPlacesParts) != 0);
        return peer;
    }
    /// Sends the Broadcast's part of frame `number`.
    void sendOther(std::uint64_t number) {
        source_.next = number * kWord;
        ASSERT_EQ(source_.sendToWhoComes(sender_), Status::Ok);
    }
    FrameInfo infoOf(std::uint64_t number) const {
        FrameInfo info;
        info.epoch = 1;
        info.sequence = number;
        info.pts = static_cast<std::int64_t>(number * kWord);
        info.payloadBytes = 128U * 64 * 4;
        return info;
    }
    /// Begins the other part of that frame.
    void sendByHand(RawTcpPeer& peer, std::uint64_t number, std::uint64_t bytes, const ByteBlock& block) {
        const FrameInfo info = infoOf(number);
        const std::uint16_t place = peer.place->rule.placeOf(info.pts);
        ASSERT_TRUE(peer.hearUntil([&] { return peer.placed.contains(place); }));
        const std::uint16_t slot = peer.placed.at(place);
        peer.placed.erase(place);
        peer.value = static_cast<std::byte>(number);
        peer.beginFrame(peer.ring, slot, info, std::span(&block, 1), bytes);
    }
    /// `held`: keeps the frame.
    ::testing::AssertionResult shows(std::uint64_t number, ReceivedFrame* held = nullptr) {
        ReceivedFrame frame;
        if (const auto taken = take(*stream_, frame); !taken) {
            return taken;
        }
        EXPECT_EQ(frame.info.pts, static_cast<std::int64_t>(number * kWord));
        EXPECT_EQ(frame.format->payloadBytes, 128U * 64 * 4);
        for (std::uint64_t at = 0; at < frame.format->payloadBytes; ++at) {
            if (frame.lease.data()[at] != static_cast<std::byte>(number)) {
                return ::testing::AssertionFailure() << "byte " << at << " is of another frame";
            }
        }
        if (held != nullptr) {
            *held = std::move(frame);
        }
        return ::testing::AssertionSuccess();
    }
    bool showsNothing() {
        ReceivedFrame frame;
        return stream_->receive(frame, 200ms) == Status::TimedOut;
    }

    static constexpr std::uint64_t kStride = 128 * 4;
    static constexpr ByteBlock kPart{.offset = 0, .rowBytes = 64 * 4, .stride = kStride, .rows = 64};
    static constexpr std::uint64_t kAll = 64 * 64 * 4;
    const ViewedTile tile_ = tileOf(2, 1, {0, 0, 64, 64}, {0, 0, 128, 64});
    const VideoFormat format_ = tightFormat(64, 64, PixelFormat::rgba);
    // A live stream may drop its first frame.
    Broadcast sender_{senderOptions({"tcp", "tcp://127.0.0.1:0"}, Policy::Lossless)};
    TestSource source_{format_};
    std::vector<ReceiverOptions> receivers_;
    std::unique_ptr<TileStream> stream_;
    std::string address_;
};

TEST_F(TilePartsByHand, OfASenderThatDiesWithinAFrameAreNeverShown) {
    start();
    auto peer = call();
    ASSERT_NO_FATAL_FAILURE(sendOther(1));
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 1, kAll, kPart));
    EXPECT_TRUE(shows(1));
    ASSERT_NO_FATAL_FAILURE(sendOther(2));
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 2, kAll / 2, kPart));
    EXPECT_TRUE(eventually([&] { return peer->framesWereRead(); }));
    peer.reset();
    EXPECT_TRUE(showsNothing());
    // Its next connection sends the same frame again, whole, into the slot that holds half of it.
    peer = call();
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 2, kAll, kPart));
    EXPECT_TRUE(shows(2));
    // A frame that it never sends again is dropped.
    ASSERT_NO_FATAL_FAILURE(sendOther(3));
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 3, kAll / 2, kPart));
    peer = nullptr;
    EXPECT_TRUE(showsNothing());
    peer = call();
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 4, kAll, kPart));
    ASSERT_NO_FATAL_FAILURE(sendOther(4));
    EXPECT_TRUE(shows(4));
    EXPECT_EQ(stream_->stats().bytesAssembled, 0U);
}

/// Alternates between an older sender and a new one, while earlier frames are still shown.
TEST_F(TilePartsByHand, OfAnOlderSenderAreCopied) {
    start();
    ReceivedFrame held;
    for (std::uint64_t number = 1; number < 7; ++number) {
        const bool older = number % 2 == 1;
        auto peer = call(older ? kCutsRegions : kCutsRegions | kPlacesParts);
        ASSERT_NO_FATAL_FAILURE(sendOther(number));
        if (older) {
            FrameInfo info = infoOf(number);
            info.payloadBytes = kAll;
            peer->value = static_cast<std::byte>(number);
            peer->beginFrame(peer->ring, peer->credits.front(), info, kAll);
        } else {
            ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, number, kAll, kPart));
        }
        EXPECT_TRUE(shows(number, &held));
        EXPECT_EQ(stream_->stats().bytesAssembled, (number + 1) / 2 * kAll);
    }
}

TEST_F(TilePartsByHand, AreRefusedBesideTheirPlace) {
    start();
    for (const ByteBlock& beside :
         {ByteBlock{.offset = 64 * 4, .rowBytes = 64 * 4, .stride = kStride, .rows = 64},  // the other's part
          ByteBlock{.offset = 64 * 4 - 4, .rowBytes = 8, .stride = kStride, .rows = 1},    // both parts
          ByteBlock{.offset = 0, .rowBytes = 64 * 4, .stride = kStride / 2, .rows = 2},  // a different stride
          ByteBlock{.offset = 4, .rowBytes = 64 * 4, .stride = kStride, .rows = 64}}) {  // one pixel too far
        const auto peer = call();
        ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 1, 0, beside));
        EXPECT_NE(peer->refusal().find("beside its part"), std::string::npos) << peer->refusal();
    }
    const auto peer = call();  // also without blocks, which means the whole frame
    const FrameInfo info = infoOf(1);
    peer->beginFrame(peer->ring, peer->placed.at(peer->place->rule.placeOf(info.pts)), info, 0);
    EXPECT_NE(peer->refusal().find("beside its part"), std::string::npos) << peer->refusal();
}

TEST_F(TilePartsByHand, AreRefusedInSlotsThatWereNotGivenForThem) {
    start();
    auto peer = call();
    const FrameInfo info = infoOf(1);
    const std::uint16_t place = peer->place->rule.placeOf(info.pts);
    const auto other =
        std::ranges::find_if(peer->placed, [&](const auto& given) { return given.first != place; });
    peer->beginFrame(peer->ring, other->second, info, std::span(&kPart, 1), kAll);
    EXPECT_NE(peer->refusal().find("not the one that it was given for it"), std::string::npos)
        << peer->refusal();
    peer = call();
    std::uint16_t slot = 0;  // one of the slots that belong to no place
    while (std::ranges::any_of(peer->placed, [&](const auto& given) { return given.second == slot; })) {
        ++slot;
    }
    peer->beginFrame(peer->ring, slot, info, std::span(&kPart, 1), 0);
    EXPECT_NE(peer->refusal().find("which it was not given"), std::string::npos) << peer->refusal();
    ASSERT_NO_FATAL_FAILURE(sendOther(2));
    peer = call();
    ASSERT_NO_FATAL_FAILURE(sendByHand(*peer, 2, kAll, kPart));
    EXPECT_TRUE(shows(2)) << "who is refused harms nobody";
}

}  // namespace
}  // namespace verbcast::testing

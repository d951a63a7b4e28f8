// Viewers that want a part of the pictures: only that part is transferred, and it is exact.
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <set>

#include "tests/core/session/connection_cutter.h"
#include "tests/support/changing_source.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

RegionWish always(const FrameRect& rect) {
    return [rect](const VideoFormat&) { return std::optional(rect); };
}

/// Keeps every sent picture, indexed by pts.
class NoiseSource final : public ChangingSource {
  public:
    using ChangingSource::ChangingSource;

    /// Whether the frame holds that part of the sent picture, pixel by pixel.
    ::testing::AssertionResult matches(const ReceivedFrame& frame) const {
        const auto& [format, picture] = sent_.at(static_cast<std::size_t>(frame.info.pts));
        std::vector<std::byte> expected, came;
        eachRow(format, frame.region->held, [&, &picture = picture](std::uint64_t at, std::uint64_t bytes) {
            expected.insert(expected.end(), &picture[at], &picture[at] + bytes);
        });
        eachRow(*frame.format, wholePicture(*frame.format), [&](std::uint64_t at, std::uint64_t bytes) {
            came.insert(came.end(), frame.lease.data() + at, frame.lease.data() + at + bytes);
        });
        return came == expected ? ::testing::AssertionSuccess()
                                : ::testing::AssertionFailure()
                                      << "frame " << frame.info.pts << " holds another part of "
                                      << describe(format);
    }

  private:
    void note(const VideoFormat& format, const std::vector<std::byte>& picture) override {
        sent_.emplace_back(format, picture);
    }

    std::vector<std::pair<VideoFormat, std::vector<std::byte>>> sent_;
};

class PictureRegionOf : public TransportSuite {
  protected:
    SenderOptions sending(Policy policy) const { return patientSender(GetParam(), policy); }
    static ReceiverOptions wanting(const Broadcast& sender, const FrameRect& rect) {
        ReceiverOptions options = receiverOptions(sender);
        options.region = always(rect);
        return options;
    }
    /// Receives the next frame and checks its region against the picture that was sent.
    static ::testing::AssertionResult take(FrameReceiver& receiver, const NoiseSource& source,
                                           ReceivedFrame& frame) {
        frame = {};
        if (receiver.receive(frame, kLimit) != Status::Ok) {
            return ::testing::AssertionFailure() << "no frame";
        }
        return frame.region ? source.matches(frame)
                            : ::testing::AssertionFailure() << "a frame that says nothing of its region";
    }
};

TEST_P(PictureRegionOf, IsExactInEveryPixelFormatOfOddSizes) {
    std::mt19937 random(7);
    for (const PixelFormatInfo& info : allPixelFormats()) {
        for (const std::uint32_t padding : {1U, 256U}) {
            VideoFormat format = tightFormat(333, 241, info.format);
            layOutPlanes(format, padding, 64);
            if (padding == 1) {
                addDepth(format);
            }
            const FrameRect rect{static_cast<std::uint16_t>(random() % 200),
                                 static_cast<std::uint16_t>(random() % 150),
                                 static_cast<std::uint16_t>(1 + random() % 133),
                                 static_cast<std::uint16_t>(1 + random() % 91)};
            Broadcast sender(sending(Policy::Lossless));
            FrameReceiver receiver(wanting(sender, rect));
            NoiseSource source(format, 3);
            ReceivedFrame frame;
            for (int i = 0; i < 6; ++i) {
                ASSERT_TRUE(source.send(sender, i == 0 ? PictureChanges::all() : source.drawSome()));
                ASSERT_TRUE(take(receiver, source, frame)) << describe(format);
            }
            EXPECT_EQ(frame.region->wanted, rect);
            EXPECT_EQ(frame.region->held, alignedRegion(format, rect));
            EXPECT_EQ(frame.region->pictureWidth, 333U);
            EXPECT_EQ(frame.format->hasDepth(), padding == 1);
        }
    }
}

TEST_P(PictureRegionOf, FollowsPicturesThatChangeSizeAndTellsWhatChangedInIt) {
    Broadcast sender(sending(Policy::Latest));
    ReceiverOptions options = receiverOptions(sender);
    // The right half of each picture, but no part of small ones.
    options.region = [](const VideoFormat& format) -> std::optional<FrameRect> {
        if (format.width < 100) {
            return std::nullopt;
        }
        const auto half = static_cast<std::uint16_t>(format.width / 2);
        return FrameRect{half, 0, half, static_cast<std::uint16_t>(format.height)};
    };
    FrameReceiver receiver(options);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    NoiseSource source(tightFormat(320, 200, PixelFormat::rgba));
    ChangesMirror mirror;
    ReceivedFrame frame;
    for (int i = 0; i < 120; ++i) {
        if (i % 30 == 29) {
            const std::uint32_t width = i == 59 ? 64 : 400 + static_cast<std::uint32_t>(i);
            source.change(tightFormat(width, 150, i % 60 == 29 ? PixelFormat::nv12 : PixelFormat::yuv422p));
        }
        ASSERT_TRUE(source.send(sender, source.drawSome()));
        ASSERT_TRUE(take(receiver, source, frame)) << i;
        EXPECT_EQ(frame.region->isNone(), i >= 59 && i < 89);
        if (!frame.region->isNone()) {
            EXPECT_EQ(frame.region->wanted.x, frame.region->pictureWidth / 2);
        }
        // The mirror handles a view like a picture, because it reads row by row.
        std::vector<std::byte> payload(frame.lease.data(), frame.lease.data() + frame.format->payloadBytes);
        ASSERT_TRUE(mirror.follow(*frame.format, payload.data(), PictureChanges::of(frame.info))) << i;
    }
    EXPECT_GT(mirror.parts, 20U);
}

TEST_P(PictureRegionOf, OfEncryptedFramesIsExact) {
    const NamedKey key{kSharedKeyName, SessionKey::random()};
    SenderOptions options = sending(Policy::Latest);
    options.trust = {.key = key, .encrypt = true};
    Broadcast sender(options);
    ReceiverOptions wants = wanting(sender, {101, 33, 120, 77});
    wants.trust = options.trust;
    FrameReceiver receiver(wants);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    NoiseSource source(tightFormat(640, 360, PixelFormat::yuv420p));
    ReceivedFrame frame;
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(source.send(sender, source.drawSome()));
        ASSERT_TRUE(take(receiver, source, frame)) << i;
    }
    EXPECT_EQ(sender.stats().cipher.refused, 0U);
}

TEST_P(PictureRegionOf, AFrameWithoutChangeInItIsToldAllTheSame) {
    Broadcast sender(sending(Policy::Lossless));
    FrameReceiver receiver(wanting(sender, {0, 0, 64, 64}));
    NoiseSource source(tightFormat(256, 256, PixelFormat::bgra), 3);
    ReceivedFrame frame;
    ASSERT_TRUE(source.send(sender, PictureChanges::all()));
    ASSERT_TRUE(take(receiver, source, frame));
    for (int i = 0; i < 20; ++i) {
        PictureChanges elsewhere = PictureChanges::none();
        elsewhere.add(source.draw({128, 128, 100, 100}));
        ASSERT_TRUE(source.send(sender, elsewhere));
        ASSERT_TRUE(take(receiver, source, frame));
        EXPECT_EQ(frame.info.sequence, static_cast<std::uint64_t>(i) + 1);
        EXPECT_TRUE(PictureChanges::of(frame.info).isNone());
    }
}

TEST_P(PictureRegionOf, OneSenderServesTilesAndAWholePicture) {
    SenderOptions options = sending(Policy::Latest);
    options.slots = 24;
    Broadcast sender(options);
    const VideoFormat format = tightFormat(640, 360, PixelFormat::yuv420p);
    std::vector<std::unique_ptr<FrameReceiver>> tiles;
    for (std::uint16_t tile = 0; tile < 2; ++tile) {
        const FrameRect rect{static_cast<std::uint16_t>(tile * 320), static_cast<std::uint16_t>(tile * 180),
                             320, 180};
        tiles.push_back(std::make_unique<FrameReceiver>(wanting(sender, rect)));
    }
    FrameReceiver whole(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 3; }, 3 * kLimit));
    NoiseSource source(format, 24);
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(source.send(sender, source.drawSome()));
        ReceivedFrame frame;
        for (const auto& tile : tiles) {
            ASSERT_TRUE(take(*tile, source, frame));
        }
        ASSERT_EQ(whole.receive(frame, kLimit), Status::Ok);
        EXPECT_EQ(frame.region, nullptr);
        EXPECT_EQ(frame.info.payloadBytes, format.payloadBytes);
    }
}

/// The sender's refusal of a handmade viewer that requests this region of a 64x64 yuv420p picture.
std::string refusalOf(const TransportUnderTest& transport, std::uint32_t epoch, const FrameRect& region) {
    Broadcast sender(senderOptions(transport, Policy::Latest));
    RawPeer peer(sender);
    peer.accepts = false;
    peer.greet(Role::Receiver);
    NoiseSource source(tightFormat(64, 64, PixelFormat::yuv420p));
    auto sending = std::async(std::launch::async,
                              [&] { static_cast<void>(source.send(sender, PictureChanges::all())); });
    EXPECT_TRUE(peer.serveUntil([&] { return peer.heard(MessageType::Format); }));
    peer.say(RegionMessage{kMainTrack, epoch, region});
    std::string refusal = peer.awaitRefusal();
    sending.get();
    return refusal;
}

TEST_P(PictureRegionOf, ThatCannotBeEndsTheSessionOfWhoAsksForIt) {
    if (GetParam() == "shm") {
        EXPECT_TRUE(contains(refusalOf(GetParam(), 1, {0, 0, 32, 32}), "not agreed on"));
        return;
    }
    for (const FrameRect& beyond : {FrameRect{32, 0, 64, 32}, FrameRect{0, 48, 32, 32}, FrameRect{},
                                    FrameRect{0xffff, 0xffff, 0xffff, 0xffff}, FrameRect{0, 0, 0, 32}}) {
        EXPECT_TRUE(contains(refusalOf(GetParam(), 1, beyond), "of a picture of 64x64"));
    }
    EXPECT_TRUE(contains(refusalOf(GetParam(), 1, {1, 0, 32, 32}), "no sample ends with"));
    EXPECT_TRUE(contains(refusalOf(GetParam(), 1, {0, 0, 8, 32}), "no sample ends with"));
    EXPECT_TRUE(contains(refusalOf(GetParam(), 2, {0, 0, 32, 32}), "epoch 2"));
}

VERBCAST_OVER_TRANSPORTS(PictureRegionOf, transportsUnderTest());

class RegionBytes : public PictureRegionOf {};

TEST_P(RegionBytes, OnTheWireAreThoseOfTheRectangle) {
    for (const PixelFormat pixels : {PixelFormat::rgba, PixelFormat::yuv420p, PixelFormat::p010le}) {
        Broadcast sender(sending(Policy::Lossless));
        const FrameRect rect{319, 181, 321, 179};  // odd values: the worst case
        FrameReceiver receiver(wanting(sender, rect));
        NoiseSource source(tightFormat(960, 540, pixels), 3);
        ReceivedFrame frame;
        constexpr std::uint64_t kFrames = 4;
        for (std::uint64_t i = 0; i < kFrames; ++i) {
            ASSERT_TRUE(source.send(sender, PictureChanges::all()));
            ASSERT_TRUE(take(receiver, source, frame));
        }
        const double rectangle =
            static_cast<double>(tightBytes(tightFormat(rect.width, rect.height, pixels)));
        ASSERT_TRUE(eventually([&] { return sender.stats().bytesMoved >= kFrames * rectangle; }));
        EXPECT_LE(static_cast<double>(sender.stats().bytesMoved), 1.02 * kFrames * rectangle);
        EXPECT_LE(static_cast<double>(receiver.stats().bytes), 1.02 * kFrames * rectangle);
        // The ring is sized for the region as well, not for the picture.
        EXPECT_LE(frame.lease.pool()->slotBytes(), 1.05 * rectangle + 8192);
    }
}

TEST_P(RegionBytes, OfChangesAreThoseWithinTheRectangle) {
    Broadcast sender(sending(Policy::Lossless));
    FrameReceiver receiver(wanting(sender, {320, 0, 320, 240}));
    NoiseSource source(tightFormat(640, 480, PixelFormat::rgba), 3);
    ReceivedFrame frame;
    std::set<std::uint32_t>
        used;  // slots of the ring; the first frame that goes into each one is transferred whole
    const auto sendAndTake = [&](int frames, const FrameRect& drawn) {
        for (int i = 0; i < frames; ++i) {
            PictureChanges changes = PictureChanges::none();
            changes.add(source.draw(drawn));
            ASSERT_TRUE(source.send(sender, changes));
            ASSERT_TRUE(take(receiver, source, frame));
            used.insert(frame.lease.slot());
        }
    };
    const std::uint64_t slots = receiverOptions(sender).slots;
    const std::uint64_t whole = 320ULL * 240 * 4;
    sendAndTake(100, {300, 100, 40, 10});  // half of it is inside the region
    EXPECT_LE(sender.stats().bytesMoved, slots * whole + 100 * 2 * 20 * 10 * 4);
    const std::uint64_t before = sender.stats().bytesMoved;
    const std::size_t usedBefore = used.size();
    sendAndTake(100, {0, 300, 600, 100});
    EXPECT_LE(sender.stats().bytesMoved - before,
              (used.size() - usedBefore) * whole + (slots + 2) * 20 * 10 * 4 + 200);
}

VERBCAST_OVER_TRANSPORTS(RegionBytes, transportsThatWrite());

class RegionCut : public PictureRegionOf {};

TEST_P(RegionCut, IsExactAfterEachReconnection) {
    Broadcast sender(sending(Policy::Lossless));
    FrameReceiver receiver(wanting(sender, {37, 21, 200, 100}));
    NoiseSource source(tightFormat(320, 240, PixelFormat::yuv420p));
    std::uint64_t connections = 1;
    ReceivedFrame frame;
    for (int i = 0; i < 90; ++i) {
        ASSERT_TRUE(source.send(sender, source.drawSome()));
        ASSERT_TRUE(take(receiver, source, frame)) << i;
        ASSERT_EQ(frame.info.pts, i);
        if (i % 30 == 20) {
            frame = {};
            cut(connectedSockets(GetParam().name), Cut::Abrupt);
            ASSERT_TRUE(eventually(
                [&] { return receiver.stats().connections > connections && sender.receiverCount() == 1; }));
            connections = receiver.stats().connections;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Over, RegionCut, ::testing::ValuesIn(transportsOfSockets()), transportName);

}  // namespace
}  // namespace verbcast::testing

// Encrypted frames over every transport: exact, confidential, and rejected if tampered with.
#include <gtest/gtest.h>

#include <future>

#include "core/session/trust/sealed_path.h"
#include "tests/core/session/core_support.h"
#include "tests/support/meddler.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

/// Both ends' paths, sealed with shared keys.
class SealedPair : public TransportPair {
  protected:
    void SetUp() override {
        TransportPair::SetUp();
        const FrameKeys keys = [](std::span<const std::byte> context) {
            std::array<std::byte, 32> key{};
            std::ranges::copy(context, key.begin());
            return key;
        };
        seal(source, keys, Side::Connecting);
        seal(sink, keys, Side::Listening);
    }
    static void seal(End& end, const FrameKeys& keys, Side side) {
        end.connection.frames = std::make_shared<SealedPath>(end.connection.frames, keys, side);
        end.path().setHandler(&end);
    }
};

TEST_P(SealedPair, FramesOfManySizesAreExact) {
    giveRing(1, 3 * kCipherChunkBytes, 4);
    std::uint64_t sequence = 0;
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{kCipherChunkBytes},
          std::uint64_t{kCipherChunkBytes + 1}, std::uint64_t{3 * kCipherChunkBytes}}) {
        roundTrip(static_cast<std::uint32_t>(sequence % 4), bytes, sequence);
        ++sequence;
    }
    EXPECT_EQ(source.path().cipherWork().bytes, sink.path().cipherWork().bytes);
    EXPECT_EQ(sink.path().cipherWork().refused, 0U);
}

TEST_P(SealedPair, ANewRingTakesOver) {
    giveRing(1, 10'000, 2);
    roundTrip(0, 10'000, 0);
    giveRing(2, 700'000, 3);
    roundTrip(2, 700'000, 1);
}

VERBCAST_OVER_TRANSPORTS(SealedPair, transportsUnderTest());

Trust keyed(bool encrypt) {
    static const SessionKey key = SessionKey::random();
    return {.key = NamedKey{kSharedKeyName, key}, .encrypt = encrypt};
}

class Encryption : public TransportSuite {
  protected:
    SenderOptions sender(Policy policy, bool encrypt = true) const {
        SenderOptions options = senderOptions(GetParam(), policy);
        options.trust = keyed(encrypt);
        return options;
    }
    static ReceiverOptions viewer(const Broadcast& of, bool encrypt = true) {
        ReceiverOptions options = receiverOptions(of);
        options.trust = keyed(encrypt);
        return options;
    }
};

TEST_P(Encryption, AnEncryptedStreamIsExactAndSaysSo) {
    for (const bool sendersWish : {false, true}) {
        Broadcast broadcast(sender(Policy::Lossless, sendersWish));
        FrameReceiver receiver(viewer(broadcast, !sendersWish));
        auto sending = std::async(std::launch::async, [&] {
            TestSource video;
            while (video.next < 50) {
                ASSERT_EQ(video.sendToWhoComes(broadcast), Status::Ok);
            }
            // Another size requires new rings.
            TestSource larger(tightFormat(640, 360, PixelFormat::rgba));
            while (larger.next < 20) {
                ASSERT_EQ(larger.sendToWhoComes(broadcast), Status::Ok);
            }
            EXPECT_EQ(broadcast.finish("done", kLimit, Event()), Status::Ok);
        });
        std::uint64_t frames = 0;
        ReceivedFrame frame;
        while (receiver.receive(frame, kLimit) == Status::Ok) {
            ASSERT_TRUE(isWhole(frame));
            ASSERT_EQ(frame.info.sequence, frames++);
        }
        sending.get();
        EXPECT_EQ(frames, 70U);
        EXPECT_EQ(receiver.status().trust.protection, Protection::Encrypted);
        EXPECT_EQ(receiver.stats().cipher.bytes, receiver.stats().bytes);
        EXPECT_EQ(broadcast.stats().cipher.bytes, receiver.stats().bytes);
        EXPECT_EQ(receiver.stats().cipher.refused, 0U);
    }
}

TEST_P(Encryption, WithAKeyAloneItIsProvenAndNotEncrypted) {
    Broadcast broadcast(sender(Policy::Lossless, false));
    FrameReceiver receiver(viewer(broadcast, false));
    ASSERT_EQ(broadcast.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource video;
    ASSERT_EQ(video.send(broadcast), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
    EXPECT_EQ(receiver.status().trust.protection, Protection::Proven);
    EXPECT_EQ(broadcast.receivers().front().trust.protection, Protection::Proven);
    EXPECT_EQ(receiver.stats().cipher.bytes, 0U);
}

VERBCAST_OVER_TRANSPORTS(Encryption, transportsUnderTest());

class OnTheWay : public ::testing::Test {
  protected:
    /// Sends frames until the viewer has received `frames` of them, all intact and in order.
    void stream(bool encrypt, std::uint64_t flipAt) {
        SenderOptions options = senderOptions({"tcp", "tcp://127.0.0.1:0"}, Policy::Lossless);
        options.trust = keyed(encrypt);
        Broadcast broadcast(options);
        meddler = std::make_unique<Meddler>(broadcast.listenAddresses().front());
        meddler->flipAt = flipAt;
        ReceiverOptions viewers = receiverOptions(meddler->address());
        viewers.trust = keyed(encrypt);
        FrameReceiver receiver(viewers);
        auto sending = std::async(std::launch::async, [&] {
            TestSource video;
            while (video.next < kFrames) {
                ASSERT_EQ(video.sendToWhoComes(broadcast), Status::Ok);
            }
            EXPECT_EQ(broadcast.finish("done", kLimit, Event()), Status::Ok);
        });
        ReceivedFrame frame;
        while (receiver.receive(frame, kLimit) == Status::Ok) {
            whole = whole && isWhole(frame);
            EXPECT_EQ(frame.info.sequence, seen++);
        }
        sending.get();
        stats = receiver.stats();
    }
    static constexpr std::uint64_t kFrames = 30;
    std::unique_ptr<Meddler> meddler;
    std::uint64_t seen = 0;
    bool whole = true;
    StreamStats stats;
};

TEST_F(OnTheWay, PixelsCanBeReadAndChangedUnlessTheyAreEncrypted) {
    stream(false, 100'000);
    EXPECT_TRUE(meddler->sawWord) << "or this test sees nothing";
    EXPECT_EQ(meddler->flips, 1);
    EXPECT_FALSE(whole) << "a key alone protects no pixels";
}

TEST_F(OnTheWay, NothingOfAnEncryptedStreamCanBeRead) {
    stream(true, 0);
    EXPECT_FALSE(meddler->sawWord);
    EXPECT_TRUE(whole);
    EXPECT_EQ(seen, kFrames);
}

TEST_F(OnTheWay, AFlippedBitIsRefusedCountedAndTheFrameComesAgain) {
    stream(true, 500'000);
    EXPECT_EQ(meddler->flips, 1);
    EXPECT_TRUE(whole) << "it was shown";
    EXPECT_EQ(seen, kFrames) << "lossless";
    EXPECT_EQ(stats.cipher.refused, 1U);
    EXPECT_EQ(stats.connections, 2U);
}

}  // namespace
}  // namespace verbcast::testing

// Messages travel unchanged; invalid ones are refused, each by itself and by its state.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/pipe/pipe_messages.h"
#include "tests/core/pipe/running_pipe.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kPeer = static_cast<int>(ErrorKind::Peer);

template <typename Message>
Message decoded(const std::vector<std::byte>& message) {
    ByteReader reader(message);
    reader.get<std::uint8_t>();
    return decodeMessage<Message>(reader);
}

TEST(PipeMessages, TravelUnchanged) {
    const auto offer = decoded<PipeOffer>(encodeMessage(PipeOffer{4096, 7, true, 123456789012ULL}));
    EXPECT_EQ(offer.blockBytes, 4096U);
    EXPECT_EQ(offer.depth, 7U);
    EXPECT_TRUE(offer.checksum);
    EXPECT_EQ(offer.length, 123456789012ULL);
    EXPECT_FALSE(decoded<PipeOffer>(encodeMessage(PipeOffer{1, 1, false, {}})).length);
    const auto accept = decoded<PipeAccept>(encodeMessage(PipeAccept{512, 3, true, 99, 0xfeed}));
    EXPECT_EQ(accept.blockBytes, 512U);
    EXPECT_EQ(accept.depth, 3U);
    EXPECT_TRUE(accept.checksum);
    EXPECT_EQ(accept.start, 99U);
    EXPECT_EQ(accept.startChecksum, 0xfeedU);
    const auto last = decoded<PipeEnd>(encodeMessage(PipeEnd{1ULL << 40, 0xabc}));
    EXPECT_EQ(last.bytes, 1ULL << 40);
    EXPECT_EQ(last.checksum, 0xabcU);
    EXPECT_EQ(decoded<PipeDone>(encodeMessage(PipeDone{77})).bytes, 77U);
    const auto failure = decoded<PipeFailure>(encodeMessage(PipeFailure{141, "a\x1b[31mred"}));
    EXPECT_EQ(failure.code, 141);
    EXPECT_EQ(failure.text.value, "a?[31mred");
}

TEST(PipeMessages, ImpossibleOnesAreRefused) {
    for (const PipeOffer& offer :
         {PipeOffer{0, 1, false, {}}, PipeOffer{kMaxBlockBytes + 1, 1, false, {}},
          PipeOffer{4096, 0, false, {}}, PipeOffer{4096, kMaxDepth + 1, false, {}},
          PipeOffer{kMaxBlockBytes, kMaxDepth, false, {}}, PipeOffer{4096, 4, false, (1ULL << 62) + 1}}) {
        EXPECT_THROW(decoded<PipeOffer>(encodeMessage(offer)), Error);
    }
    EXPECT_THROW(decoded<PipeAccept>(encodeMessage(PipeAccept{4096, 4, false, ~0ULL, 0})), Error);
    EXPECT_THROW(decoded<PipeEnd>(encodeMessage(PipeEnd{~0ULL, 0})), Error);
    EXPECT_THROW(decoded<PipeFailure>(encodeMessage(PipeFailure{0, ""})), Error);
    std::vector<std::byte> cut = encodeMessage(PipeAccept{4096, 4, false, 0, 0});
    cut.pop_back();
    EXPECT_THROW(decoded<PipeAccept>(cut), Error);
}

TEST(PipeMessages, RandomBytesAreReadOrRefused) {
    std::minstd_rand random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes(random() % 48);
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random() >> 8);
        }
        tryReading<PipeOffer>(bytes);
        tryReading<PipeAccept>(bytes);
        tryReading<PipeEnd>(bytes);
        tryReading<PipeDone>(bytes);
        tryReading<PipeFailure>(bytes);
    }
}

class Handmade : public RawPeer {
  public:
    Handmade(const std::string& address, Role role) : RawPeer(parseUrl(address)) { greet(role); }
    /// A block of `bytes` bytes 'x' in the first slot.
    void sendBlock(std::uint64_t sequence, std::int64_t offset, std::uint64_t bytes, std::uint32_t slot = 0) {
        if (!pool_) {
            pool_ = FramePool::create({.slotBytes = 65536, .slotCount = 4});
            std::memset(pool_->memory()->bytes().data(), 'x', pool_->memory()->bytes().size());
            setSource(pool_);
        }
        FrameInfo info;
        info.sequence = sequence;
        info.pts = offset;
        info.payloadBytes = bytes;
        static_cast<void>(sendFrame(0, slot, info));
        serveUntil([&] { return sharesMemory() || framesSent > sequence; });
    }
    void serveUntilHeard(PipeMessageType type) {
        serveUntil([&] { return heard(type); });
    }
    void serveUntilHungUp() {
        serveUntil([this] { return closed; });
        EXPECT_TRUE(closed);
    }

  private:
    std::shared_ptr<FramePool> pool_;
};

/// A receiver that listens, and a hand-written sender.
class HostileSender : public TransportSuite {
  protected:
    HostileSender()
        : file_(fileWith("")),
          output_(file_.get(), "out"),
          receiver_(std::make_unique<PipeReceiver>(settingsOf(4096), listeningOn(GetParam()), output_)),
          peer_(receiver_.address(), Role::PipeSender) {}

    void offer(const PipeOffer& wanted = {4096, 4, false, {}}) {
        peer_.say(wanted);
        peer_.serveUntilHeard(PipeMessageType::Accept);
        peer_.serveUntil([this] { return peer_.sharesMemory() || peer_.heard(MessageType::Credit); });
    }
    void expectRefusal(const std::string& part, int code = kPeer) {
        peer_.serveUntilHungUp();
        EXPECT_EQ(receiver_.exitCode(), code) << receiver_.error();
        EXPECT_TRUE(contains(receiver_.error(), part));
    }

    UniqueFd file_;
    PipeOutput output_;
    RunningPipe receiver_;
    Handmade peer_;
};

TEST_P(HostileSender, AnotherChecksumIsAMismatchOnBothSides) {
    offer({4096, 4, true, {}});
    peer_.sendBlock(0, 0, 10);
    peer_.say(PipeEnd{10, 12345});
    peer_.serveUntilHeard(PipeMessageType::Failed);
    EXPECT_FALSE(peer_.heard(static_cast<std::uint8_t>(PipeMessageType::Done)));
    peer_.say(Bye{"understood"});
    EXPECT_EQ(receiver_.exitCode(), static_cast<int>(ErrorKind::Corrupt));
    EXPECT_TRUE(contains(receiver_.error(), "checksum mismatch"));
}

TEST_P(HostileSender, AnEndBeforeTheDataIsNoSuccess) {
    offer();
    peer_.sendBlock(0, 0, 10);
    peer_.say(PipeEnd{20, 0});
    peer_.say(Bye{"that was all"});
    EXPECT_EQ(receiver_.exitCode(), static_cast<int>(ErrorKind::Network)) << receiver_.error();
}

TEST_P(HostileSender, AnEndBehindTheDataIsRefused) {
    offer();
    peer_.sendBlock(0, 0, 10);
    peer_.serveUntil([this] { return receiver_.status().bytes == 10; });
    peer_.say(PipeEnd{9, 0});
    expectRefusal("ended its stream after 9 bytes");
}

TEST_P(HostileSender, ABlockOutOfPlaceIsRefused) {
    offer();
    peer_.sendBlock(0, 4, 10);
    expectRefusal("for byte 4");
}

TEST_P(HostileSender, ABlockOutOfTurnIsRefused) {
    offer();
    peer_.sendBlock(1, 0, 10);
    expectRefusal("block 1 of 10 bytes");
}

TEST_P(HostileSender, ABlockLargerThanAgreedIsRefused) {
    offer({2048, 4, false, {}});
    peer_.sendBlock(0, 0, 4096);
    expectRefusal(" of 4096 ");
}

/// Transports where the sender offers its own ring.
class HostileOwner : public HostileSender {};

TEST_P(HostileOwner, ABlockBeforeTheOfferIsRefusedAndTheRightSenderStillAwaited) {
    peer_.sendBlock(0, 0, 10);
    peer_.serveUntilHungUp();
    EXPECT_FALSE(receiver_.ended());
}

/// Transports where the data itself says where it belongs.
class HostileWriter : public HostileSender {};

TEST_P(HostileWriter, ASlotThatWasNotGivenIsRefused) {
    offer();
    peer_.sendBlock(0, 0, 10, 77);
    expectRefusal("slot 77");
}

TEST_P(HostileSender, AnOfferTooLargeIsRefusedAndTheRightSenderStillAwaited) {
    peer_.say(PipeOffer{kMaxBlockBytes, kMaxDepth, false, {}});
    EXPECT_TRUE(contains(peer_.awaitRefusal(), "in flight"));
    EXPECT_FALSE(receiver_.ended());
    Handmade next(receiver_.address(), Role::PipeSender);
    next.say(PipeOffer{4096, 4, false, {}});
    next.serveUntilHeard(PipeMessageType::Accept);
    EXPECT_TRUE(next.heard(static_cast<std::uint8_t>(PipeMessageType::Accept)));
}

TEST_P(HostileSender, ThatOnlyGreetsIsNotWaitedForAndTheRightSenderStillAwaited) {
    PipeSettings settings = settingsOf(4096);
    settings.peerTimeout = std::chrono::milliseconds(500);
    RunningPipe receiver(std::make_unique<PipeReceiver>(settings, listeningOn(GetParam()), output_));
    Handmade silent(receiver.address(), Role::PipeSender);
    silent.serveUntilHungUp();
    Handmade next(receiver.address(), Role::PipeSender);
    next.say(PipeOffer{4096, 4, false, {}});
    next.serveUntilHeard(PipeMessageType::Accept);
    EXPECT_TRUE(next.heard(static_cast<std::uint8_t>(PipeMessageType::Accept)));
}

TEST_P(HostileSender, TwoOffersAreRefused) {
    offer();
    peer_.say(PipeOffer{4096, 4, false, {}});
    expectRefusal("twice");
}

TEST_P(HostileSender, WordsOfAReceiverAreRefused) {
    offer();
    peer_.say(PipeDone{0});
    expectRefusal("speaks as the receiving one");
}

VERBCAST_OVER_TRANSPORTS(HostileSender, transportsUnderTest());
INSTANTIATE_TEST_SUITE_P(Over, HostileOwner, ::testing::ValuesIn(transportsThatShareMemory()), transportName);
INSTANTIATE_TEST_SUITE_P(Over, HostileWriter,
                         ::testing::Values(TransportUnderTest{"tcp", "tcp://127.0.0.1:0"}), transportName);

/// The same for a receiver that has a key.
class HostileUnknownPeer : public TransportSuite {
  protected:
    /// Sends this first: the receiver closes the connection with a reason and waits for the right peer.
    void expectRefusal(std::span<const std::byte> message, const std::string& part) {
        RawPeer peer(parseUrl(receiver_.address()));
        peer.say(message);
        peer.serveUntil([&] { return peer.closed; });
        EXPECT_TRUE(contains(peer.awaitRefusal(), part));
        EXPECT_FALSE(peer.heard(MessageType::Hello)) << "to a stranger";
        EXPECT_FALSE(receiver_.ended());
    }
    static PipeSettings keyed() {
        PipeSettings settings = settingsOf(4096);
        settings.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
        return settings;
    }
    UniqueFd file_ = fileWith("");
    PipeOutput output_{file_.get(), "out"};
    RunningPipe receiver_{std::make_unique<PipeReceiver>(keyed(), listeningOn(GetParam()), output_)};
};

TEST_P(HostileUnknownPeer, AGreetingWithoutAKeyIsRefused) {
    Hello hello;
    hello.role = Role::PipeSender;
    expectRefusal(encodeMessage(hello), "only one side has a key");
}

TEST_P(HostileUnknownPeer, NoiseInTheShapeOfTlsIsRefused) {
    std::vector<std::byte> noise(64, std::byte{22});
    expectRefusal(noise, "does not prove that it has the key");
}

TEST_P(HostileUnknownPeer, WordsBeforeTheGreetingAreRefused) {
    expectRefusal(encodeMessage(PipeOffer{4096, 4, false, {}}), "before its greeting");
    expectRefusal(encodeMessage(Ping{1}), "before its greeting");
}

VERBCAST_OVER_TRANSPORTS(HostileUnknownPeer, transportsUnderTest());

/// A sender that listens, and a hand-written receiver.
class HostileReceiver : public TransportSuite {
  protected:
    HostileReceiver()
        : sender_(std::make_unique<PipeSender>(settingsOf(4096, 4, true),
                                               std::vector<PipeAddress>{listeningOn(GetParam())},
                                               PipeInput(in_.reading.get(), "in"))),
          peer_(sender_.address(), Role::PipeReceiver) {
        peer_.serveUntilHeard(PipeMessageType::Offer);
    }
    void expectRefusal(const std::string& part) {
        peer_.serveUntilHungUp();
        EXPECT_EQ(sender_.exitCode(), kPeer) << sender_.error();
        EXPECT_TRUE(contains(sender_.error(), part));
    }
    KernelPipe in_;
    RunningPipe sender_;
    Handmade peer_;
};

TEST_P(HostileReceiver, AcceptingMoreThanWasOfferedIsRefused) {
    peer_.say(PipeAccept{8192, 4, true, 0, 0});
    expectRefusal("another pipe than was offered");
}

TEST_P(HostileReceiver, AcceptingWithoutTheChecksumIsRefused) {
    peer_.say(PipeAccept{4096, 4, false, 0, 0});
    expectRefusal("another pipe than was offered");
}

TEST_P(HostileReceiver, AcceptingTwiceIsRefused) {
    peer_.say(PipeAccept{4096, 4, true, 0, 0});
    peer_.say(PipeAccept{4096, 4, true, 0, 0});
    expectRefusal("twice");
}

TEST_P(HostileReceiver, BeingDoneBeforeTheEndIsRefused) {
    peer_.say(PipeAccept{4096, 4, true, 0, 0});
    peer_.say(PipeDone{0});
    expectRefusal("which is not so");
}

TEST_P(HostileReceiver, BeingDoneWithLessIsRefused) {
    peer_.say(PipeAccept{4096, 4, true, 0, 0});
    in_.writing.reset();
    peer_.serveUntilHeard(PipeMessageType::End);
    peer_.say(PipeDone{1});
    expectRefusal("which is not so");
}

TEST_P(HostileReceiver, ACreditForASlotThatIsNotThereIsRefused) {
    Credit credit;
    credit.slots.count = 0;
    credit.slots.push(65535);
    peer_.say(credit);
    expectRefusal("slot 65535");
}

TEST_P(HostileReceiver, LeavingIsNoSuccess) {
    peer_.say(PipeAccept{4096, 4, true, 0, 0});
    peer_.say(Bye{"enough"});
    EXPECT_EQ(sender_.exitCode(), static_cast<int>(ErrorKind::Network)) << sender_.error();
}

VERBCAST_OVER_TRANSPORTS(HostileReceiver, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing

// Messages travel unchanged; what cannot be is refused, message by message and in its place.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "core/pipe/pipe_messages.h"
#include "core/session/messages.h"
#include "tests/pipe/running_pipe.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kPeer = static_cast<int>(ErrorKind::Peer);

template <typename Decode>
auto decoded(const std::vector<std::byte>& message, Decode decode) {
    ByteReader reader(message);
    reader.get<std::uint8_t>();
    return decode(reader);
}

TEST(PipeMessages, TravelUnchanged) {
    const auto offer = decoded(encodeMessage(PipeOffer{4096, 7, true, 123456789012ULL}), decodePipeOffer);
    EXPECT_EQ(offer.blockBytes, 4096U);
    EXPECT_EQ(offer.depth, 7U);
    EXPECT_TRUE(offer.checksum);
    EXPECT_EQ(offer.length, 123456789012ULL);
    EXPECT_FALSE(decoded(encodeMessage(PipeOffer{1, 1, false, {}}), decodePipeOffer).length);
    const auto accept = decoded(encodeMessage(PipeAccept{512, 3, true, 99, 0xfeed}), decodePipeAccept);
    EXPECT_EQ(accept.blockBytes, 512U);
    EXPECT_EQ(accept.depth, 3U);
    EXPECT_TRUE(accept.checksum);
    EXPECT_EQ(accept.start, 99U);
    EXPECT_EQ(accept.startChecksum, 0xfeedU);
    const auto last = decoded(encodeMessage(PipeEnd{1ULL << 40, 0xabc}), decodePipeEnd);
    EXPECT_EQ(last.bytes, 1ULL << 40);
    EXPECT_EQ(last.checksum, 0xabcU);
    EXPECT_EQ(decoded(encodeMessage(PipeDone{77}), decodePipeDone).bytes, 77U);
    const auto failure = decoded(encodeMessage(PipeFailure{141, "a\x1b[31mred"}), decodePipeFailure);
    EXPECT_EQ(failure.code, 141);
    EXPECT_EQ(failure.text, "a?[31mred");
}

TEST(PipeMessages, ImpossibleOnesAreRefused) {
    for (const PipeOffer& offer :
         {PipeOffer{0, 1, false, {}}, PipeOffer{kMostBlockBytes + 1, 1, false, {}},
          PipeOffer{4096, 0, false, {}}, PipeOffer{4096, kMostDepth + 1, false, {}},
          PipeOffer{kMostBlockBytes, kMostDepth, false, {}}, PipeOffer{4096, 4, false, (1ULL << 62) + 1}}) {
        EXPECT_THROW(decoded(encodeMessage(offer), decodePipeOffer), Error);
    }
    EXPECT_THROW(decoded(encodeMessage(PipeAccept{4096, 4, false, ~0ULL, 0}), decodePipeAccept), Error);
    EXPECT_THROW(decoded(encodeMessage(PipeEnd{~0ULL, 0}), decodePipeEnd), Error);
    EXPECT_THROW(decoded(encodeMessage(PipeFailure{0, ""}), decodePipeFailure), Error);
    std::vector<std::byte> cut = encodeMessage(PipeAccept{4096, 4, false, 0, 0});
    cut.pop_back();
    EXPECT_THROW(decoded(cut, decodePipeAccept), Error);
}

TEST(PipeMessages, RandomBytesAreReadOrRefused) {
    std::minstd_rand random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes(random() % 48);
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random() >> 8);
        }
        const auto tryReading = [&](auto decode) {
            try {
                ByteReader reader(bytes);
                static_cast<void>(decode(reader));
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::Peer);
            }
        };
        tryReading(decodePipeOffer);
        tryReading(decodePipeAccept);
        tryReading(decodePipeEnd);
        tryReading(decodePipeDone);
        tryReading(decodePipeFailure);
    }
}

/// An end made by hand on a raw channel: says whatever the test wants.
class Handmade : public ChannelHandler {
  public:
    Handmade(const std::string& address, Role role, Authentication authentication = Authentication::None) {
        const Url url = parseUrl(address);
        channel_ =
            url.scheme == Scheme::Shm ? connectShm(url, {}, 5s, Event()) : connectTcp(url, {}, 5s, Event());
        Hello hello;
        hello.role = role;
        hello.authentication = authentication;
        say(encodeMessage(hello));
    }
    void say(std::span<const std::byte> message) { static_cast<void>(channel_->sendMessage(message)); }
    /// A block of `bytes` bytes 'x' in the first slot.
    void sendBlock(std::uint64_t sequence, std::int64_t offset, std::uint64_t bytes, std::uint32_t slot = 0) {
        if (!pool_) {
            pool_ = FramePool::create({.slotBytes = 65536, .slotCount = 4});
            std::memset(pool_->memory().data(), 'x', pool_->memory().size());
            channel_->setSourcePool(1, pool_);
        }
        OutgoingFrame frame{channel_->description().sharesPool ? slot : 0, slot, {}};
        frame.info.sequence = sequence;
        frame.info.pts = offset;
        frame.info.payloadBytes = bytes;
        static_cast<void>(channel_->sendFrame(frame));
        serveUntil([&] { return channel_->description().sharesPool || sent_ > sequence; });
    }
    void serveUntil(const std::function<bool()>& done) {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!done() && !closed_ && std::chrono::steady_clock::now() < deadline) {
            const Progress progress = channel_->process(*this);
            closed_ = progress == Progress::Closed;
            if (progress == Progress::Idle && channel_->readyToSleep()) {
                waitReadable({channel_->waitDescriptor()}, 20ms);
            }
        }
    }
    void serveUntilHeard(PipeMessageType type) {
        serveUntil([&] { return heard(static_cast<std::uint8_t>(type)); });
    }
    void serveUntilHungUp() {
        serveUntil([this] { return closed_; });
        EXPECT_TRUE(closed_);
    }
    bool heard(std::uint8_t type) const { return heard_.at(type); }
    Channel& channel() { return *channel_; }
    std::string refusal;

  private:
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        const auto type = reader.get<std::uint8_t>();
        heard_.at(type) = true;
        if (static_cast<MessageType>(type) == MessageType::Refuse) {
            refusal = decodeRefuse(reader).text;
        }
    }
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override {}
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override { ++sent_; }

    std::unique_ptr<Channel> channel_;
    std::shared_ptr<FramePool> pool_;
    std::array<bool, 256> heard_{};
    std::uint64_t sent_ = 0;
    bool closed_ = false;
};

/// A receiver that listens, and a sender made by hand.
class HostileSender : public TransportSuite {
  protected:
    HostileSender()
        : file_(fileWith("")),
          output_(file_.get(), "out"),
          receiver_(std::make_unique<PipeReceiver>(settingsOf(4096), listeningOn(GetParam()), output_)),
          peer_(receiver_.address(), Role::PipeSender) {}

    void offer(const PipeOffer& wanted = {4096, 4, false, {}}) {
        peer_.say(encodeMessage(wanted));
        peer_.serveUntilHeard(PipeMessageType::Accept);
        peer_.serveUntil([this] {
            return peer_.channel().description().sharesPool ||
                   peer_.heard(static_cast<std::uint8_t>(MessageType::Credit));
        });
    }
    void expectRefusal(const std::string& part, int code = kPeer) {
        peer_.serveUntilHungUp();
        EXPECT_EQ(receiver_.exitCode(), code) << receiver_.error();
        EXPECT_NE(receiver_.error().find(part), std::string::npos) << receiver_.error();
    }

    UniqueFd file_;
    PipeOutput output_;
    RunningPipe receiver_;
    Handmade peer_;
};

TEST_P(HostileSender, AnotherChecksumIsAMismatchOnBothSides) {
    offer({4096, 4, true, {}});
    peer_.sendBlock(0, 0, 10);
    peer_.say(encodeMessage(PipeEnd{10, 12345}));
    peer_.serveUntilHeard(PipeMessageType::Failed);
    EXPECT_FALSE(peer_.heard(static_cast<std::uint8_t>(PipeMessageType::Done)));
    peer_.say(encodeMessage(Bye{"understood"}));
    EXPECT_EQ(receiver_.exitCode(), static_cast<int>(ErrorKind::Corrupt));
    EXPECT_NE(receiver_.error().find("checksum mismatch"), std::string::npos) << receiver_.error();
}

TEST_P(HostileSender, AnEndBeforeTheDataIsNoSuccess) {
    offer();
    peer_.sendBlock(0, 0, 10);
    peer_.say(encodeMessage(PipeEnd{20, 0}));
    peer_.say(encodeMessage(Bye{"that was all"}));
    EXPECT_EQ(receiver_.exitCode(), static_cast<int>(ErrorKind::Network)) << receiver_.error();
}

TEST_P(HostileSender, AnEndBehindTheDataIsRefused) {
    offer();
    peer_.sendBlock(0, 0, 10);
    peer_.serveUntil([this] { return receiver_.status().bytes == 10; });
    peer_.say(encodeMessage(PipeEnd{9, 0}));
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

TEST_P(HostileSender, ABlockBeforeTheOfferIsRefused) {
    peer_.sendBlock(0, 0, 10);
    expectRefusal("");
}

TEST_P(HostileSender, ASlotThatWasNotGivenIsRefused) {
    offer();
    peer_.sendBlock(0, 0, 10, 77);
    expectRefusal("slot 77");
}

TEST_P(HostileSender, AnOfferTooLargeIsRefused) {
    peer_.say(encodeMessage(PipeOffer{kMostBlockBytes, kMostDepth, false, {}}));
    expectRefusal("in flight");
}

TEST_P(HostileSender, TwoOffersAreRefused) {
    offer();
    peer_.say(encodeMessage(PipeOffer{4096, 4, false, {}}));
    expectRefusal("twice");
}

TEST_P(HostileSender, WordsOfAReceiverAreRefused) {
    offer();
    peer_.say(encodeMessage(PipeDone{0}));
    expectRefusal("speaks as the receiving one");
}

TEST_P(HostileSender, AProofThatNobodyAskedForIsRefused) {
    offer();
    peer_.say(encodeMessage(Proof{}));
    expectRefusal("proves what it was not asked for");
}

INSTANTIATE_TEST_SUITE_P(Over, HostileSender, ::testing::Values("shm", "tcp"), transportName);

/// The same for a receiver that has a key.
class HostileStranger : public TransportSuite {
  protected:
    /// Says hello, then this: the receiver hangs up, saying why, and waits for the right one.
    void expectRefusal(std::span<const std::byte> message, const std::string& part) {
        Handmade peer(receiver_.address(), Role::PipeSender, Authentication::SharedKey);
        peer.say(message);
        peer.serveUntilHungUp();
        EXPECT_NE(peer.refusal.find(part), std::string::npos) << peer.refusal;
        EXPECT_FALSE(peer.heard(static_cast<std::uint8_t>(PipeMessageType::Accept)));
        EXPECT_FALSE(peer.heard(static_cast<std::uint8_t>(MessageType::Proof))) << "to a stranger";
        EXPECT_FALSE(receiver_.ended());
    }
    static PipeSettings keyed() {
        PipeSettings settings = settingsOf(4096);
        settings.key = SessionKey::random();
        return settings;
    }
    UniqueFd file_ = fileWith("");
    PipeOutput output_{file_.get(), "out"};
    RunningPipe receiver_{std::make_unique<PipeReceiver>(keyed(), listeningOn(GetParam()), output_)};
};

TEST_P(HostileStranger, AWrongProofIsRefused) {
    expectRefusal(encodeMessage(Proof{}), "different keys");
}

TEST_P(HostileStranger, WordsBeforeTheProofAreRefused) {
    expectRefusal(encodeMessage(PipeOffer{4096, 4, false, {}}), "before its greeting");
    expectRefusal(encodeMessage(Ping{1}), "before its greeting");
}

TEST_P(HostileStranger, AGoodbyeInsteadOfAProofIsNoBrokenProtocol) {
    expectRefusal(encodeMessage(Bye{"I have changed my mind"}), "");
}

TEST_P(HostileStranger, HalfAProofIsRefused) {
    const auto proof = encodeMessage(Proof{});
    expectRefusal(std::span(proof).first(20), "");
}

INSTANTIATE_TEST_SUITE_P(Over, HostileStranger, ::testing::Values("shm", "tcp"), transportName);

/// A sender that listens, and a receiver made by hand.
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
        EXPECT_NE(sender_.error().find(part), std::string::npos) << sender_.error();
    }
    TestPipe in_;
    RunningPipe sender_;
    Handmade peer_;
};

TEST_P(HostileReceiver, AcceptingMoreThanWasOfferedIsRefused) {
    peer_.say(encodeMessage(PipeAccept{8192, 4, true, 0, 0}));
    expectRefusal("another pipe than was offered");
}

TEST_P(HostileReceiver, AcceptingWithoutTheChecksumIsRefused) {
    peer_.say(encodeMessage(PipeAccept{4096, 4, false, 0, 0}));
    expectRefusal("another pipe than was offered");
}

TEST_P(HostileReceiver, AcceptingTwiceIsRefused) {
    peer_.say(encodeMessage(PipeAccept{4096, 4, true, 0, 0}));
    peer_.say(encodeMessage(PipeAccept{4096, 4, true, 0, 0}));
    expectRefusal("twice");
}

TEST_P(HostileReceiver, BeingDoneBeforeTheEndIsRefused) {
    peer_.say(encodeMessage(PipeAccept{4096, 4, true, 0, 0}));
    peer_.say(encodeMessage(PipeDone{0}));
    expectRefusal("which is not so");
}

TEST_P(HostileReceiver, BeingDoneWithLessIsRefused) {
    peer_.say(encodeMessage(PipeAccept{4096, 4, true, 0, 0}));
    in_.writing.reset();
    peer_.serveUntilHeard(PipeMessageType::End);
    peer_.say(encodeMessage(PipeDone{1}));
    expectRefusal("which is not so");
}

TEST_P(HostileReceiver, ACreditForASlotThatIsNotThereIsRefused) {
    std::array<std::byte, kMaxCreditBytes> buffer;
    const std::array<std::uint16_t, 1> slot{65535};
    const std::size_t length = encodeCredit(buffer, 1, slot);
    peer_.say(std::span<const std::byte>(buffer).first(length));
    expectRefusal("slot 65535");
}

TEST_P(HostileReceiver, LeavingIsNoSuccess) {
    peer_.say(encodeMessage(PipeAccept{4096, 4, true, 0, 0}));
    peer_.say(encodeMessage(Bye{"enough"}));
    EXPECT_EQ(sender_.exitCode(), static_cast<int>(ErrorKind::Network)) << sender_.error();
}

INSTANTIATE_TEST_SUITE_P(Over, HostileReceiver, ::testing::Values("shm", "tcp"), transportName);

}  // namespace
}  // namespace verbcast::testing

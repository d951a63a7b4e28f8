// Peers that lie, stay silent or speak another version: each ends alone, with a typed error.
#include <future>
#include <thread>

#include "core/base/wire.h"
#include "tests/rdma/hostile_peer.h"
#include "tests/rdma/verbs_pair.h"

namespace verbcast::testing {
namespace {

class VerbsHostile : public VerbsTest {
  protected:
    void SetUp() override {
        VerbsTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            listener_ = listenVerbs(url(0), {});
            target_ = url(portOf(*listener_));
        }
    }

    std::unique_ptr<HostilePeer> connect(std::vector<std::byte> privateData) {
        auto connecting = std::async(std::launch::async,
                                     [&] { return std::make_unique<HostilePeer>(target_, privateData); });
        while (connecting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            EXPECT_EQ(listener_->accept(), nullptr);
            waitReadable({listener_->waitDescriptor()}, std::chrono::milliseconds(10));
        }
        return connecting.get();
    }

    /// A hostile peer that has said Hello, and our end of it with a pool of two slots in place.
    void establish() {
        peer_ = connect(goodGreeting());
        ASSERT_TRUE(peer_->established());
        peer_->sendMessage(MessageKind::Hello, {});
        end_.channel = acceptOne(*listener_);
        ASSERT_NE(end_.channel, nullptr);
        pool_ = makePool(8192, 2);
        end_.channel->setSinkPool(9, pool_);
    }

    /// Processes until the channel throws; gives the error's kind and text.
    std::pair<ErrorKind, std::string> processUntilError() {
        try {
            drive({&end_}, [&] { return end_.closed; });
        } catch (const Error& error) {
            return {error.kind(), error.what()};
        }
        return {ErrorKind::Internal, "no error, but: " + end_.channel->closeReason()};
    }

    void expectPeerError(const std::string& part) {
        const auto [kind, text] = processUntilError();
        EXPECT_EQ(kind, ErrorKind::Peer) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_TRUE(end_.seen.frames.empty());
    }

    std::unique_ptr<Listener> listener_;
    Url target_;
    std::unique_ptr<HostilePeer> peer_;
    std::shared_ptr<FramePool> pool_;
    End end_;
};

TEST_F(VerbsHostile, anotherVersionIsRefusedWithOurs) {
    Greeting greeting;
    greeting.version = kVerbsWireVersion + 1;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    const auto peer = connect(encodeGreeting(greeting));
    ASSERT_FALSE(peer->established());
    const auto refusal = decodeRefusal(peer->answer());
    ASSERT_TRUE(refusal);
    EXPECT_NE(refusal->find("speaks version"), std::string::npos) << *refusal;
}

TEST_F(VerbsHostile, garbageAndNothingAreRefusedAndTheListenerGoesOn) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, kMaxPrivateBytes}) {
        std::vector<std::byte> garbage(size);
        fillPattern(garbage, size);
        const auto peer = connect(garbage);
        EXPECT_FALSE(peer->established()) << size;
    }
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target_, {}, kPatience, cancel); });
    EXPECT_NE(acceptOne(*listener_), nullptr);
    EXPECT_NE(connecting.get(), nullptr);
}

TEST_F(VerbsHostile, aPeerThatConnectsAndSaysNothingIsDroppedAndBlocksNobody) {
    const auto silent = connect(goodGreeting());
    ASSERT_TRUE(silent->established());
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target_, {}, kPatience, cancel); });
    EXPECT_NE(acceptOne(*listener_), nullptr) << "the silent peer blocked another";
    EXPECT_NE(connecting.get(), nullptr);
    // The listener's own timer wakes us to drop it; only then does its descriptor fall silent.
    EXPECT_TRUE(waitReadable({listener_->waitDescriptor()}, kPatience));
    EXPECT_EQ(listener_->accept(), nullptr);
}

TEST_F(VerbsHostile, aFirstMessageThatIsNoHelloEndsThatPeerAlone) {
    const auto peer = connect(goodGreeting());
    peer->sendMessage(MessageKind::Session, asBytes("hello?"));
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target_, {}, kPatience, cancel); });
    EXPECT_NE(acceptOne(*listener_), nullptr);
    EXPECT_NE(connecting.get(), nullptr);
}

TEST_F(VerbsHostile, aSlotThatDoesNotExistIsAnError) {
    if (!device_.immediates) {
        GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no immediates";
    }
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->writeImmediate(makeImmediate(9, 2));
    expectPeerError("slot 2");
}

TEST_F(VerbsHostile, aGenerationThatWasNotAnnouncedIsAnError) {
    if (!device_.immediates) {
        GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no immediates";
    }
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->writeImmediate(makeImmediate(8, 0));
    expectPeerError("generation 8");
}

TEST_F(VerbsHostile, aFrameNoticeThatClaimsMoreThanASlotIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    FrameNotice notice;
    notice.generation = 9;
    notice.info.payloadBytes = pool_->slotBytes() + 1;
    peer_->sendMessage(MessageKind::Frame, std::as_bytes(std::span(&notice, 1)));
    expectPeerError("bytes are in a slot");
}

TEST_F(VerbsHostile, aFrameNoticeOfTheWrongSizeIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->sendMessage(MessageKind::Frame, asBytes("short"));
    expectPeerError("frame notice");
}

TEST_F(VerbsHostile, anUnknownKindIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->sendMessage(static_cast<MessageKind>(99), asBytes("?"));
    expectPeerError("unknown kind 99");
}

TEST_F(VerbsHostile, aMessageWithoutAHeaderIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->sendBytes(asBytes("abc"));
    expectPeerError("message of 3 bytes");
}

TEST_F(VerbsHostile, creditsForMessagesThatWereNeverSentAreAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->sendMessage(MessageKind::Credits, {}, 1000);
    expectPeerError("1000 messages");
}

TEST_F(VerbsHostile, aPoolThatEndsBeyondMemoryIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    const PoolAnnouncement pool{.generation = 1,
                                .slotCount = 200,
                                .slotBytes = 1ULL << 62,
                                .poolAddress = 4096,
                                .poolKey = 1,
                                .infoKey = 1,
                                .infoAddress = 4096};
    peer_->sendMessage(MessageKind::Pool, encodePool(pool));
    expectPeerError("beyond 64 bits");
    EXPECT_TRUE(end_.seen.slots.empty());
}

TEST_F(VerbsHostile, writingThroughAGuessedKeyEndsOnlyThatConnection) {
    ASSERT_NO_FATAL_FAILURE(establish());
    // The source believes an announcement that points nowhere: its device is refused by the sink's.
    auto listener = listenVerbs(url(0), {});
    HostilePeer liar = [&] {
        auto connecting = std::async(std::launch::async,
                                     [&] { return HostilePeer(url(portOf(*listener)), goodGreeting()); });
        while (connecting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            EXPECT_EQ(listener->accept(), nullptr);
            waitReadable({listener->waitDescriptor()}, std::chrono::milliseconds(10));
        }
        return connecting.get();
    }();
    liar.sendMessage(MessageKind::Hello, {});
    End source;
    source.channel = acceptOne(*listener);
    const PoolAnnouncement pool{.generation = 1,
                                .slotCount = 2,
                                .slotBytes = 4096,
                                .poolAddress = reinterpret_cast<std::uint64_t>(pool_->memory().data()),
                                .poolKey = 0x1234,
                                .infoKey = 0x1234,
                                .infoAddress = 4096};
    liar.sendMessage(MessageKind::Pool, encodePool(pool));
    ASSERT_TRUE(drive({&source}, [&] { return !source.seen.slots.empty(); }));
    const auto from = makePool(4096, 1);
    source.channel->setSourcePool(1, from);
    FrameInfo info;
    info.payloadBytes = 4096;
    ASSERT_EQ(source.channel->sendFrame({0, 0, info}), Status::Ok);
    ASSERT_TRUE(drive({&source}, [&] { return source.closed; }));
    EXPECT_NE(source.channel->closeReason().find("remote access error"), std::string::npos)
        << source.channel->closeReason();
    EXPECT_TRUE(source.seen.sent.empty());
    EXPECT_EQ(end_.channel->sendMessage(asBytes("still here")), Status::Ok);
}

TEST_F(VerbsHostile, aListenerOfAnotherVersionIsAnErrorOfThePeer) {
    Greeting greeting;
    greeting.version = kVerbsWireVersion + 5;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    for (const bool accepts : {true, false}) {
        HostileListener other(
            url(0), accepts ? encodeGreeting(greeting) : encodeRefusal(RefusalReason::Version), accepts);
        const Event cancel;
        auto connecting = std::async(std::launch::async,
                                     [&] { return connectVerbs(url(other.port()), {}, kPatience, cancel); });
        other.serveOne();
        try {
            connecting.get();
            ADD_FAILURE() << "connected";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
            EXPECT_NE(std::string(error.what()).find("version"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace verbcast::testing

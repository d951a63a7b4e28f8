// Peers that lie, stay silent or speak another version: only their own connection ends, with a typed error.
#include <future>
#include <thread>

#include "core/base/wire.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "tests/core/transport/rdma/hostile_peer.h"
#include "tests/core/transport/rdma/verbs_device.h"

namespace verbcast::testing {
namespace {

std::unique_ptr<HostilePeer> callAs(const Url& target, std::span<const std::byte> privateData) {
    const VerbsOptions verbs = parseVerbsOptions(target);
    const Event cancel;
    return std::make_unique<HostilePeer>(
        openVerbsQueue(peerAddressesFor(target, verbs, Deadline::in(kPatience), cancel).at(0), verbs, {},
                       Deadline::in(kPatience), cancel),
        privateData);
}

class VerbsHostile : public VerbsTest {
  protected:
    void SetUp() override {
        VerbsTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            listener_ = listenVerbs(url(0));
            target_ = url(portOf(*listener_));
        }
    }

    std::unique_ptr<HostilePeer> connect(std::vector<std::byte> privateData) {
        return connectTo(*listener_, target_, std::move(privateData));
    }

    static std::unique_ptr<HostilePeer> connectTo(Listener& listener, const Url& target,
                                                  std::vector<std::byte> privateData) {
        auto connecting = std::async(std::launch::async, [&] { return callAs(target, privateData); });
        while (connecting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            EXPECT_FALSE(listener.accept());
            waitReadable({listener.waitDescriptor()}, std::chrono::milliseconds(10));
        }
        return connecting.get();
    }

    /// A hostile peer that has sent Hello, and our end with a pool of two slots.
    void establish() {
        peer_ = connect(goodGreeting());
        ASSERT_TRUE(peer_->established());
        peer_->sendMessage(MessageKind::Hello, {});
        end_.adopt(acceptOne(*listener_));
        ASSERT_TRUE(end_.connection);
        pool_ = makePool(8192, 2);
        pool_->slots().takeFree([](std::uint32_t) {});
        end_.offer(9, pool_);
    }

    /// Processes until the channel throws; returns the error's kind and text.
    std::pair<ErrorKind, std::string> processUntilError() {
        try {
            drive({&end_}, [&] { return end_.closed; });
        } catch (const Error& error) {
            return {error.kind(), error.what()};
        }
        return {ErrorKind::Internal, "no error, but: " + end_.closeReason()};
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

TEST_F(VerbsHostile, aCallersAddressAloneDoesNotMakeItThisUsers) {
    establish();
    EXPECT_EQ(end_.messages()->description().place, PeerPlace::OtherUser);
}

TEST_F(VerbsHostile, anotherVersionIsRefusedWithOurs) {
    RdmaGreeting greeting;
    greeting.version = kRdmaWireVersion + 1;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    const auto peer = connect(encodeGreeting(greeting));
    ASSERT_FALSE(peer->established());
    EXPECT_NE(peer->refusal().find("speaks version"), std::string::npos) << peer->refusal();
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
    EXPECT_TRUE(acceptOne(*listener_));
    EXPECT_TRUE(connecting.get());
}

TEST_F(VerbsHostile, aPeerThatConnectsAndSaysNothingIsDroppedAndBlocksNobody) {
    const auto silent = connect(goodGreeting());
    ASSERT_TRUE(silent->established());
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target_, {}, kPatience, cancel); });
    EXPECT_TRUE(acceptOne(*listener_)) << "the silent peer blocked another";
    EXPECT_TRUE(connecting.get());
    // The listener's own timer must wake us to drop it; only then is its descriptor no longer readable.
    EXPECT_TRUE(waitReadable({listener_->waitDescriptor()}, kPatience));
    EXPECT_FALSE(listener_->accept());
}

TEST_F(VerbsHostile, aFirstMessageThatIsNoHelloEndsThatPeerAlone) {
    const auto peer = connect(goodGreeting());
    peer->sendMessage(MessageKind::Session, asBytes("hello?"));
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target_, {}, kPatience, cancel); });
    EXPECT_TRUE(acceptOne(*listener_));
    EXPECT_TRUE(connecting.get());
}

TEST_F(VerbsHostile, aSlotThatDoesNotExistIsAnError) {
    if (!device_.immediates) {
        GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no immediates";
    }
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->writeImmediate(makeImmediate(9, 2));
    expectPeerError("slot 2");
}

TEST_F(VerbsHostile, aRingThatWasNotOfferedIsAnError) {
    if (!device_.immediates) {
        GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no immediates";
    }
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->writeImmediate(makeImmediate(8, 0));
    expectPeerError("ring 8");
}

TEST_F(VerbsHostile, aFrameNoticeThatClaimsMoreThanASlotIsTheSessionsToJudge) {
    ASSERT_NO_FATAL_FAILURE(establish());
    FrameNotice notice;
    notice.ring = 9;
    notice.record.bytes = ~0ULL;
    notice.record.info.payloadBytes = ~0ULL;
    peer_->sendMessage(MessageKind::Frame,
                       std::as_bytes(std::span(&notice, 1)).first(frameNoticeBytes(notice.record.info)));
    ASSERT_TRUE(drive({&end_}, [&] { return !end_.seen.frames.empty(); }));
    EXPECT_EQ(end_.seen.frames[0].info.payloadBytes, ~0ULL);
    EXPECT_EQ(end_.frames()->payloadBytesMoved(), pool_->slotBytes()) << "no more can have come";
}

TEST_F(VerbsHostile, moreRectanglesThanThereCanBeAreAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    FrameNotice notice;
    notice.ring = 9;
    notice.record.info.rectCount = kMaxFrameRects + 1;
    peer_->sendMessage(MessageKind::Frame, std::as_bytes(std::span(&notice, 1)));
    expectPeerError("17 rectangles");
}

TEST_F(VerbsHostile, aFrameNoticeOfTheWrongSizeIsAnError) {
    for (const std::size_t size :
         {std::size_t{5}, kFrameNoticeHeadBytes + kFrameInfoHeadBytes - 1,
          kFrameNoticeHeadBytes + kFrameInfoHeadBytes + 8, sizeof(FrameNotice) + 1}) {
        SCOPED_TRACE(size);
        peer_.reset();
        end_.reset();
        end_.closed = false;
        ASSERT_NO_FATAL_FAILURE(establish());
        std::vector<std::byte> bytes(size);
        bytes[0] = std::byte{9};
        peer_->sendMessage(MessageKind::Frame, bytes);
        expectPeerError("frame notice");
    }
}

TEST_F(VerbsHostile, writingIntoARetiredRingEndsTheConnectionAndHarmsNoMemory) {
    ASSERT_NO_FATAL_FAILURE(establish());
    const RingOffer offer = decodeOffer({pool_->slotBytes(), 2}, end_.seen.offers.at(9));
    ASSERT_EQ(peer_->writeBytes(offer.payloadAddress, offer.payloadKey, 8192), "") << "while it is offered";
    EXPECT_EQ(pool_->slotData(0)[8191], std::byte{0x66});
    std::fill_n(pool_->slotData(0), 8192, std::byte{0x11});
    end_.messages()->process();  // a ring may be closed only after its opening was processed
    end_.frames()->retire(9);
    const std::string refused = peer_->writeBytes(offer.payloadAddress, offer.payloadKey, 8192);
    EXPECT_TRUE(!refused.empty() || !device_.immediates) << "iWARP does not tell the writer";
    std::cout << "a write into a retired ring: " << refused << "\n";
    ASSERT_TRUE(drive({&end_}, [&] { return end_.closed; }));
    std::cout << "its owner: " << end_.closeReason() << "\n";
    EXPECT_TRUE(std::all_of(pool_->slotData(0), pool_->slotData(0) + 8192,
                            [](std::byte b) { return b == std::byte{0x11}; }));
}

TEST_F(VerbsHostile, writingAfterTheEndOfTheSessionHarmsNoMemory) {
    ASSERT_NO_FATAL_FAILURE(establish());
    const RingOffer offer = decodeOffer({pool_->slotBytes(), 2}, end_.seen.offers.at(9));
    ASSERT_EQ(peer_->writeBytes(offer.payloadAddress, offer.payloadKey, 8192), "") << "during the session";
    ASSERT_EQ(pool_->slotData(0)[8191], std::byte{0x66});
    end_.reset();
    std::fill_n(pool_->slotData(0), 8192, std::byte{0x11});
    EXPECT_NE(peer_->writeBytes(offer.payloadAddress, offer.payloadKey, 8192), "");
    EXPECT_TRUE(std::all_of(pool_->slotData(0), pool_->slotData(0) + 8192,
                            [](std::byte b) { return b == std::byte{0x11}; }));
}

TEST_F(VerbsHostile, ringsThatAreRetiredAtOnceEndNothing) {
    ASSERT_NO_FATAL_FAILURE(establish());
    for (RingId ring = 10; ring < 16; ++ring) {  // each opens windows that the device has hardly started on
        end_.offer(ring, pool_);
        end_.frames()->retire(ring);
        ASSERT_NE(end_.messages()->process(), Progress::Closed) << ring << ": " << end_.closeReason();
    }
    const RingOffer offer = decodeOffer({pool_->slotBytes(), 2}, end_.seen.offers.at(9));
    EXPECT_EQ(peer_->writeBytes(offer.payloadAddress, offer.payloadKey, 8192), "");
    EXPECT_FALSE(end_.closed) << end_.closeReason();
}

TEST_F(VerbsHostile, aFrameInARetiredRingIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    end_.frames()->retire(9);
    FrameNotice notice;
    notice.ring = 9;
    peer_->sendMessage(MessageKind::Frame,
                       std::as_bytes(std::span(&notice, 1)).first(frameNoticeBytes(notice.record.info)));
    expectPeerError("ring 9");
}

TEST_F(VerbsHostile, anEmptyMessageIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    peer_->sendMessage(MessageKind::Session, {});
    expectPeerError("message of 0 bytes");
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

TEST_F(VerbsHostile, anOfferThatCannotBeIsAnError) {
    ASSERT_NO_FATAL_FAILURE(establish());
    const RingOffer good{.payloadAddress = 4096, .payloadKey = 1, .infoAddress = 4096, .infoKey = 1};
    const auto bytes = encodeOffer(good);
    FramePath& path = *end_.frames();
    EXPECT_THROW(path.accept(1, {1ULL << 62, 200}, bytes), Error);
    EXPECT_THROW(path.accept(1, {4096, 0}, bytes), Error);
    EXPECT_THROW(path.accept(1, {4096, 257}, bytes), Error);
    EXPECT_THROW(path.accept(1, {4096, 2}, std::span(bytes).first(31)), Error);
    EXPECT_THROW(path.accept(65536, {4096, 2}, bytes), Error);
    EXPECT_EQ(path.accept(3, {4096, 2}, bytes), nullptr);
    EXPECT_THROW(path.accept(3, {4096, 2}, bytes), Error) << "not higher than the one before";
}

TEST_F(VerbsHostile, writingThroughAGuessedKeyEndsOnlyThatConnection) {
    ASSERT_NO_FATAL_FAILURE(establish());
    // The source accepts an offer that points nowhere: the sink's device refuses the write.
    auto listener = listenVerbs(url(0));
    const auto liar = connectTo(*listener, url(portOf(*listener)), goodGreeting());
    liar->sendMessage(MessageKind::Hello, {});
    End source(acceptOne(*listener));
    ASSERT_TRUE(source.connection);
    const RingOffer offer{.payloadAddress = reinterpret_cast<std::uint64_t>(pool_->memory()->bytes().data()),
                          .payloadKey = 0x1234,
                          .infoAddress = 4096,
                          .infoKey = 0x1234};
    source.frames()->accept(1, {4096, 2}, encodeOffer(offer));
    const auto from = makePool(4096, 1);
    source.frames()->prepare(from);
    FrameInfo info;
    info.payloadBytes = 4096;
    ASSERT_EQ(source.frames()->send({from, 0, 1, 0, info}), Status::Ok);
    ASSERT_TRUE(drive({&source}, [&] { return source.closed; }));
    EXPECT_NE(source.closeReason().find("remote access error"), std::string::npos) << source.closeReason();
    EXPECT_TRUE(source.seen.sent.empty());
    EXPECT_EQ(end_.send("still here"), Status::Ok);
}

TEST_F(VerbsHostile, aListenerOfAnotherVersionIsAnErrorOfThePeer) {
    RdmaGreeting greeting;
    greeting.version = kRdmaWireVersion + 5;
    greeting.messageCredits = 8;
    greeting.largestWriteBytes = 1 << 20;
    for (const bool accepts : {true, false}) {
        HostileListener other(listenOnVerbs(url(0), parseVerbsOptions(url(0)), {}),
                              accepts ? encodeGreeting(greeting) : encodeRefusal(RefusalReason::Version),
                              accepts);
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

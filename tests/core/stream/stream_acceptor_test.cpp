// Assigning streams to senders when many of them connect.
#include <gtest/gtest.h>

#include "core/stream/stream_acceptor.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class StreamAcceptorTest : public TransportSuite {
  protected:
    StreamAcceptorOptions accepting(std::uint32_t streams) const {
        StreamAcceptorOptions options;
        options.url = parseUrl(listenAddressFor(GetParam()));
        options.stream.peerTimeout = kLimit;
        options.maxStreams = streams;
        return options;
    }
    SenderOptions calling(const StreamAcceptor& acceptor, const std::string& name) const {
        SenderOptions options = senderOptions(GetParam(), Policy::Lossless);
        options.listen = false;
        options.reconnect = false;
        options.url = parseUrl(acceptor.listenAddresses().front());
        options.name = name;
        return options;
    }
    /// A sender whose connection is cut after its first frame, and which does not reconnect.
    void sendAndVanish(const SenderOptions& options, StreamAcceptor& acceptor,
                       std::shared_ptr<IncomingStream>& stream) {
        sendOne(options, acceptor, stream,
                [](Broadcast&) { cut(connectedSockets(GetParam().name), Cut::Abrupt); });
    }
    /// A sender that ends its stream after one frame.
    void sendAndFinish(const SenderOptions& options, StreamAcceptor& acceptor,
                       std::shared_ptr<IncomingStream>& stream) {
        sendOne(options, acceptor, stream,
                [](Broadcast& sender) { ASSERT_EQ(sender.finish("done", kLimit, Event()), Status::Ok); });
    }
    /// Sends a frame into the stream, accepting the stream first if it is null, then calls `end`.
    template <typename End>
    void sendOne(const SenderOptions& options, StreamAcceptor& acceptor,
                 std::shared_ptr<IncomingStream>& stream, End&& end) {
        Broadcast sender(options);
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        if (!stream) {
            stream = acceptor.accept(kLimit, Event());
            ASSERT_TRUE(stream);
        }
        TestSource source;
        ASSERT_EQ(source.send(sender), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(stream->receive(frame, kLimit), Status::Ok);
        frame = {};
        ASSERT_NO_FATAL_FAILURE(end(sender));
        ASSERT_TRUE(eventually([&] { return !stream->connected(); }));
    }
    static std::string refusal(const SenderOptions& options) {
        Broadcast sender(options);
        EXPECT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Closed);
        return sender.lastEnd().reason;
    }
};

TEST_P(StreamAcceptorTest, OneThatIsStartedAnewIsKnownByItsName) {
    StreamAcceptor acceptor(accepting(3));
    std::shared_ptr<IncomingStream> wall, desk;
    sendAndVanish(calling(acceptor, "wall"), acceptor, wall);
    sendAndVanish(calling(acceptor, "desk"), acceptor, desk);
    sendAndVanish(calling(acceptor, "desk"), acceptor, desk);
    EXPECT_EQ(wall->stats().connections, 1U);
    EXPECT_EQ(desk->stats().connections, 2U);
    EXPECT_FALSE(acceptor.accept(10ms, Event()));
}

TEST_P(StreamAcceptorTest, EveryStreamHasAPlaceUntilItIsDropped) {
    StreamAcceptor acceptor(accepting(1));
    std::shared_ptr<IncomingStream> stream;
    sendAndVanish(calling(acceptor, "wall"), acceptor, stream);
    EXPECT_TRUE(contains(refusal(calling(acceptor, "desk")), "as many streams as it may"))
        << "it may come back";
    stream->close();
    EXPECT_TRUE(contains(refusal(calling(acceptor, "desk")), "as many streams as it may"))
        << "it is still held";
    stream.reset();
    sendAndVanish(calling(acceptor, "desk"), acceptor, stream);
}

TEST_P(StreamAcceptorTest, WhoIsCutOffBeforeTheFirstFrameHadNoStream) {
    StreamAcceptor acceptor(accepting(1));
    Broadcast sender(calling(acceptor, "wall"));
    const auto stream = acceptor.accept(kLimit, Event());
    ASSERT_TRUE(stream);
    cut(connectedSockets(GetParam().name), Cut::Abrupt);
    ReceivedFrame frame;
    EXPECT_EQ(stream->receive(frame, kLimit), Status::Closed);
    EXPECT_TRUE(stream->over());
}

TEST_P(StreamAcceptorTest, WithoutReconnectingALossIsTheEnd) {
    StreamAcceptorOptions options = accepting(1);
    options.reconnect = false;
    StreamAcceptor acceptor(options);
    std::shared_ptr<IncomingStream> stream;
    sendAndVanish(calling(acceptor, "wall"), acceptor, stream);
    ReceivedFrame frame;
    EXPECT_EQ(stream->receive(frame, kLimit), Status::Closed);
    EXPECT_EQ(stream->status().state, StreamState::Lost);
    EXPECT_TRUE(contains(refusal(calling(acceptor, "desk")), "as many streams as it may"));
}

TEST_P(StreamAcceptorTest, OneThatOutlivesItsEndWaitsForItsSender) {
    StreamAcceptorOptions options = accepting(2);
    options.outlivesEnd = true;
    StreamAcceptor acceptor(options);
    std::shared_ptr<IncomingStream> wall, desk;
    sendAndFinish(calling(acceptor, "wall"), acceptor, wall);
    EXPECT_FALSE(wall->over());
    sendAndFinish(calling(acceptor, "desk"), acceptor, desk);
    sendAndFinish(calling(acceptor, "wall"), acceptor, wall);
    EXPECT_EQ(wall->stats().connections, 2U);
    EXPECT_EQ(desk->stats().connections, 1U);
    // All places are taken: a third sender continues an ended stream and does not displace a connected one.
    Broadcast connected(calling(acceptor, "wall"));
    ASSERT_EQ(connected.waitForReceiver(kLimit, Event()), Status::Ok);
    sendAndFinish(calling(acceptor, "chair"), acceptor, desk);
    EXPECT_EQ(desk->stats().connections, 2U);
    EXPECT_TRUE(wall->connected());
    EXPECT_FALSE(acceptor.accept(10ms, Event()));
}

TEST_P(StreamAcceptorTest, WhoIsDismissedStaysAwayUntilItIsStartedAnew) {
    StreamAcceptor acceptor(accepting(1));
    SenderOptions again = calling(acceptor, "wall");
    again.reconnect = true;
    Broadcast sender(again);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    std::shared_ptr<IncomingStream> stream = acceptor.accept(kLimit, Event());
    ASSERT_TRUE(stream);
    acceptor.dismiss(stream->instance());
    stream->cancel();
    stream->close();
    stream.reset();
    ASSERT_TRUE(eventually([&] {
        return sender.lastEnd().reason.find("closed the stream") != std::string::npos;
    })) << sender.lastEnd().reason;
    sendAndVanish(calling(acceptor, "wall"), acceptor, stream);
}

/// Keys of two hosts that this one is paired with.
class TwoHosts final : public KeyBook {
  public:
    std::optional<Entry> find(std::string_view name) override {
        for (const NamedKey& key : {wall, desk}) {
            if (key.name == name) {
                return Entry{key.key};
            }
        }
        return std::nullopt;
    }
    void unpairedCalled(const std::string&) override {}
    std::optional<PairingInvitation> invitation() const override { return std::nullopt; }
    void pair(const Entry&, const NamedKey&, const std::string&, const std::string&) override {}

    const NamedKey wall{"wall's", SessionKey::random()}, desk{"desk's", SessionKey::random()};
};

TEST_P(StreamAcceptorTest, ANameLeadsToNoStreamOfAnotherKey) {
    const auto book = std::make_shared<TwoHosts>();  // shared with the acceptor
    StreamAcceptorOptions options = accepting(2);
    options.trust.book = book;
    StreamAcceptor acceptor(options);
    SenderOptions wall = calling(acceptor, "wall"), impostor = calling(acceptor, "wall");
    wall.trust.key = book->wall;
    impostor.trust.key = book->desk;
    std::shared_ptr<IncomingStream> stream, other;
    sendAndVanish(wall, acceptor, stream);
    sendAndVanish(impostor, acceptor, other);
    sendAndVanish(wall, acceptor, stream);
    EXPECT_EQ(stream->stats().connections, 2U);
    EXPECT_EQ(other->stats().connections, 1U);
    EXPECT_TRUE(contains(refusal(calling(acceptor, "wall")), "as many streams as it may"))
        << "nor does a sender without a key take a place by its name";
}

TEST_P(StreamAcceptorTest, SendersNeedTheKey) {
    StreamAcceptorOptions options = accepting(2);
    options.trust.key = NamedKey{kSharedKeyName, SessionKey::random()};
    StreamAcceptor acceptor(options);
    SenderOptions sending = calling(acceptor, "wall");
    EXPECT_TRUE(contains(refusal(sending), "key"));
    sending.trust.key = options.trust.key;
    Broadcast sender(sending);
    const auto stream = acceptor.accept(kLimit, Event());
    ASSERT_TRUE(stream);
    EXPECT_EQ(stream->status().trust.protection, Protection::Proven);
}

INSTANTIATE_TEST_SUITE_P(Over, StreamAcceptorTest, ::testing::ValuesIn(transportsOfSockets()), transportName);

}  // namespace
}  // namespace verbcast::testing

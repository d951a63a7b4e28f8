// Peers that send more than anybody asked for.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/core/session/unknown_peers.h"
#include "tests/support/expectations.h"
#include "tests/support/raw_peer.h"
#include "tests/support/raw_tcp_sockets.h"

namespace verbcast::testing {
namespace {

/// Sends messages until the connection is closed.
std::future<void> flood(RawPeer& peer, std::atomic<bool>& flowing) {
    return std::async(std::launch::async, [&] {
        const std::array<std::byte, 64> unknown{std::byte{200}};
        std::uint64_t said = 0;
        while (peer.serve()) {
            for (int i = 0; i < 100 && peer.trySaying(unknown) == Status::Ok; ++i) {
                flowing = ++said > 1000;
            }
        }
    });
}

class Floods : public UnknownPeers {};

TEST_P(Floods, AFloodCannotKeepABroadcastFromEnding) {
    auto sender = std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest));
    RawPeer peer(*sender);
    peer.accepts = false;  // its flood leaves no room for that
    peer.greet(Role::Receiver);
    ASSERT_TRUE(peer.greeted());
    TestSource source;
    ASSERT_EQ(source.sendToWhoComes(*sender), Status::Ok);
    std::atomic<bool> flowing{false};
    auto flooding = flood(peer, flowing);
    ASSERT_TRUE(eventually([&] { return flowing.load(); }));
    auto ending = std::async(std::launch::async, [&] { sender.reset(); });
    EXPECT_EQ(ending.wait_for(kLimit), std::future_status::ready);
    ending.get();
    flooding.get();
}

TEST_P(Floods, AFloodCannotKeepAViewerFromEnding) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    auto viewer = std::make_unique<FrameReceiver>(options);
    RawPeer peer(*viewer);
    peer.greet(Role::Sender);
    ASSERT_TRUE(peer.greeted());
    std::atomic<bool> flowing{false};
    auto flooding = flood(peer, flowing);
    // Over shared memory, the consumer's thread serves the connection.
    auto consuming = std::async(std::launch::async, [&] {
        ReceivedFrame frame;
        return viewer->receive(frame, 1h);
    });
    ASSERT_TRUE(eventually([&] { return flowing.load(); }));
    viewer->cancel();
    ASSERT_EQ(consuming.wait_for(kLimit), std::future_status::ready);
    EXPECT_EQ(consuming.get(), Status::Cancelled);
    auto ending = std::async(std::launch::async, [&] { viewer.reset(); });
    EXPECT_EQ(ending.wait_for(kLimit), std::future_status::ready);
    ending.get();
    flooding.get();
}

TEST_P(Floods, AFloodBeforeTheGreetingKeepsNobodyOut) {
    auto sender = std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest));
    RawPeer peer(*sender);
    const std::array<std::byte, 64> unknown{std::byte{200}};
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(peer.trySaying(unknown));
    }
    EXPECT_TRUE(contains(peer.awaitRefusal(), "before its greeting")) << peer.refusal;
    FrameReceiver viewer(receiverOptions(*sender));
    TestSource source;
    expectAFrame(*sender, viewer, source);
}

// Which host's callers lose their places must not depend on the host's name.
TEST(CrowdOfManyHosts, TakesNoPlaceFromWhoIsInTheMiddleOfItsGreeting) {
    SenderOptions options = senderOptions({"tcp", "tcp://127.0.0.1:0"}, Policy::Latest);
    options.trust.key = NamedKey{"test", SessionKey::random()};
    Broadcast sender(options);
    RawPeer slow(sender);
    const std::array<int, 9> begun{22, 3, 1, 0, 44, 1, 0, 2, 0};  // a client's greeting: RFC 8446, 4 and 5.1
    std::vector<std::byte> beginning(49);
    std::ranges::transform(begun, beginning.begin(), [](int value) { return std::byte(value); });
    slow.say(beginning);
    slow.serve();
    std::vector<std::unique_ptr<RawTcpSockets>> silent;
    for (int host = 2; host < 90; ++host) {
        silent.push_back(std::make_unique<RawTcpSockets>(sender.listenAddresses().front(),
                                                         fmt::format("127.0.0.{}", host).c_str()));
    }
    EXPECT_FALSE(silent.front()->hear().empty()) << "it is told why";
    EXPECT_EQ(slow.awaitRefusal(), "") << "it is hung up on when its time is over";
}

VERBCAST_OVER_TRANSPORTS(Floods, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing

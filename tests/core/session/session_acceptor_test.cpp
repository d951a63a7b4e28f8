// What the acceptor does while its callers wait.
#include "core/session/greeting/session_acceptor.h"

#include <gtest/gtest.h>

#include "tests/core/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

TEST(SessionAcceptorTest, SleepsWhileACallerThatWaitsForAPlaceGoesOnTalking) {
    const Url url = parseUrl("tcp://127.0.0.1:0");
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    SessionAcceptor acceptor(url, {}, handshake);
    RawPeer caller(parseUrl(acceptor.addresses().front()));
    caller.greet(Role::Sender);
    caller.serve();
    bool asked = false;
    const auto busy = [&](const Hello&, const PeerTrust&) {
        asked = true;
        return std::optional(Refuse{RefuseCode::Busy, "taken"});
    };
    ASSERT_TRUE(eventually([&] {
        EXPECT_FALSE(acceptor.next(busy));
        return asked;
    }));
    caller.say(Ping{nowNs()});
    caller.serve();
    EXPECT_FALSE(waitReadable(acceptor.descriptors(), 100ms)) << "it would not sleep";
    // It looks again by itself, and then has all that was said.
    EXPECT_LE(acceptor.nextLook().left(), 10ms);
    std::optional<PeerConnection> peer;
    ASSERT_TRUE(eventually([&] {
        peer = acceptor.next([](const Hello&, const PeerTrust&) { return std::nullopt; });
        return peer.has_value();
    }));
    EXPECT_TRUE(waitReadable({peer->connection.messages->waitDescriptor()}, kLimit));
}

TEST(SessionAcceptorTest, ACallerThatWaitedInVainIsTold) {
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    SessionAcceptor acceptor(parseUrl("tcp://127.0.0.1:0"), {}, handshake);
    RawPeer caller(parseUrl(acceptor.addresses().front()));
    caller.greet(Role::Sender);
    const auto busy = [](const Hello&, const PeerTrust&) {
        return std::optional(Refuse{RefuseCode::Busy, "taken"});
    };
    ASSERT_TRUE(eventually([&] {
        caller.serve();
        EXPECT_FALSE(acceptor.next(busy));
        waitReadable(acceptor.descriptors(), earlier(acceptor.nextLook(), Deadline::in(10ms)));
        return !caller.refusal.empty();
    }));
    EXPECT_EQ(caller.refusal, "taken");
}

}  // namespace
}  // namespace verbcast::testing

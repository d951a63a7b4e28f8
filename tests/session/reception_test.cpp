// What the front door does while its callers wait.
#include "core/session/greeting/reception.h"

#include <gtest/gtest.h>

#include "tests/session/core_support.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

TEST(ReceptionTest, SleepsWhileACallerThatWaitsForAPlaceGoesOnTalking) {
    const Url url = parseUrl("tcp://127.0.0.1:0");
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    Reception reception(url, {}, handshake);
    RawPeer caller(parseUrl(reception.addresses().front()));
    caller.greet(Role::Sender);
    caller.serve();
    bool asked = false;
    const auto busy = [&](const Hello&, const PeerTrust&) {
        asked = true;
        return std::optional(Refuse{RefuseCode::Busy, "taken"});
    };
    ASSERT_TRUE(eventually([&] {
        EXPECT_FALSE(reception.next(busy));
        return asked;
    }));
    caller.say(Ping{nowNs()});
    caller.serve();
    EXPECT_FALSE(waitReadable({reception.waitDescriptor()}, 100ms)) << "it would not sleep";
    // It looks again by itself, and then has all that was said.
    EXPECT_LE(reception.nextLook().left(), 10ms);
    std::optional<Guest> guest;
    ASSERT_TRUE(eventually([&] {
        guest = reception.next([](const Hello&, const PeerTrust&) { return std::nullopt; });
        return guest.has_value();
    }));
    EXPECT_TRUE(waitReadable({guest->connection.messages->waitDescriptor()}, kLimit));
}

TEST(ReceptionTest, ACallerThatWaitedInVainIsTold) {
    HandshakeOptions handshake;
    handshake.role = Role::Receiver;
    Reception reception(parseUrl("tcp://127.0.0.1:0"), {}, handshake);
    RawPeer caller(parseUrl(reception.addresses().front()));
    caller.greet(Role::Sender);
    const auto busy = [](const Hello&, const PeerTrust&) {
        return std::optional(Refuse{RefuseCode::Busy, "taken"});
    };
    ASSERT_TRUE(eventually([&] {
        caller.serve();
        EXPECT_FALSE(reception.next(busy));
        waitReadable({reception.waitDescriptor()}, earlier(reception.nextLook(), Deadline::in(10ms)));
        return !caller.refusal.empty();
    }));
    EXPECT_EQ(caller.refusal, "taken");
}

}  // namespace
}  // namespace verbcast::testing

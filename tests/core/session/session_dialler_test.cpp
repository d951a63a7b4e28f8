// The retry pace of connectors whose peer hangs up.
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <variant>

#include "core/session/greeting/listener_set.h"
#include "core/session/greeting/session_dialler.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class Pace : public TransportSuite {
  protected:
    /// Number of attempts in 1.5 s to reach a listener that hangs up immediately, after or before its
    /// greeting.
    int callsInAWhile(bool greets) {
        ListenerSet listeners(parseUrl(listenAddressFor(GetParam())), {});
        Event stop;
        std::thread calling([&, url = parseUrl(listeners.addresses().front())] {
            SessionDialler dialler(url, {}, {.role = Role::Receiver, .name = "caller"});
            while (!stop.isSet()) {
                static_cast<void>(dialler.meet(stop));  // a peer's connection is closed at once as well
            }
        });
        int calls = 0;
        const auto serve = [&] {
            if (Connection connection = listeners.accept()) {
                ++calls;
                if (greets) {
                    const HandshakeOptions options{.role = Role::Sender, .name = "listener"};
                    Greeting greeting(std::move(connection), options, Side::Listening);
                    if (eventually([&] { return greeting.serve() != Handshake::State::Talking; }) &&
                        greeting.serve() == Handshake::State::Asked) {
                        greeting.admit();
                        static_cast<void>(greeting.take());
                    }
                }
            }
        };
        const Deadline end = Deadline::in(1500ms), limit = Deadline::in(kLimit);
        while (!end.passed() || (calls < 2 && !limit.passed())) {
            serve();
            std::vector<int> descriptors;
            listeners.addDescriptors(descriptors);
            waitReadable(descriptors, Deadline::in(20ms));
        }
        stop.notify();
        calling.join();
        return calls;
    }
};

// Pauses grow by half from 25 ms to 500 ms, each shortened by up to a quarter: 10 attempts in 1.5 s.
constexpr int kMaxCalls = 14;

TEST_P(Pace, AListenerThatHangsUpAtOnceIsNotCalledAllTheTime) {
    const int calls = callsInAWhile(false);
    EXPECT_GE(calls, 2) << "it is called again";
    EXPECT_LE(calls, kMaxCalls);
}

TEST_P(Pace, NorIsOneThatGreetsFirst) {
    const int calls = callsInAWhile(true);
    EXPECT_GE(calls, 2) << "it is called again";
    EXPECT_LE(calls, kMaxCalls);
}

TEST_P(Pace, WaitingForSomebodyEndsWhenCancelledOrInTime) {
    Url nobody = parseUrl(listenAddressFor(GetParam()));
    nobody.port = nobody.port == 0 ? 1 : nobody.port;  // a port on which no test listens
    SessionDialler dialler(nobody, {}, {.role = Role::Receiver, .name = "caller"});
    const Event never;
    EXPECT_THROW(static_cast<void>(dialler.meet(never, Deadline::in(200ms))), Error);
    Event cancel;
    std::thread cancelling([&] {
        std::this_thread::sleep_for(50ms);
        cancel.notify();
    });
    const auto met = dialler.meet(cancel);
    cancelling.join();
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(met));
    EXPECT_EQ(std::get<SessionEnd>(met).kind, SessionEnd::Kind::Stopped);
}

TEST_P(Pace, ACrowdAtTheDoorIsNoReasonToGiveUp) {
    ListenerSet listeners(parseUrl(listenAddressFor(GetParam())), {});
    const Event never;
    auto calling = std::async(std::launch::async, [&, url = parseUrl(listeners.addresses().front())] {
        SessionDialler dialler(url, {}, {.role = Role::Receiver, .name = "caller"});
        return dialler.meet(never, Deadline::in(0ms));
    });
    for (const bool crowded : {true, false}) {
        Connection connection;
        ASSERT_TRUE(eventually([&] { return static_cast<bool>(connection = listeners.accept()); }));
        const HandshakeOptions options{.role = Role::Sender, .name = "listener"};
        Greeting greeting(std::move(connection), options, Side::Listening);
        ASSERT_TRUE(eventually([&] { return greeting.serve() == Handshake::State::Asked; }));
        if (crowded) {
            greeting.refuse(RefuseCode::Crowded, "too many callers have not finished greeting");
            ASSERT_TRUE(eventually([&] { return !greeting.lingers(); }));
        } else {
            greeting.admit();
            const PeerConnection peer = greeting.take();
            EXPECT_TRUE(std::holds_alternative<PeerConnection>(calling.get()));
        }
    }
}

TEST_P(Pace, ACrowdIsNotMadeLargerByThoseWhoHaveNoTimeLeft) {
    ListenerSet listeners(parseUrl(listenAddressFor(GetParam())), {});
    const Event never;
    auto calling = std::async(std::launch::async, [&, url = parseUrl(listeners.addresses().front())] {
        SessionDialler dialler(url, {}, {.role = Role::Receiver, .name = "caller"});
        return dialler.meet(never, Deadline::in(0ms));
    });
    std::vector<std::unique_ptr<Greeting>> greetings;
    const HandshakeOptions options{.role = Role::Sender, .name = "listener"};
    while (calling.wait_for(0ms) != std::future_status::ready) {
        if (Connection connection = listeners.accept()) {
            greetings.push_back(std::make_unique<Greeting>(std::move(connection), options, Side::Listening));
        }
        for (auto& greeting : greetings) {
            const auto state = greeting ? greeting->serve() : Handshake::State::Talking;
            if (state == Handshake::State::Asked) {
                greeting->refuse(RefuseCode::Crowded, "too many callers have not finished greeting");
            } else if (state == Handshake::State::Over && !greeting->lingers()) {
                greeting.reset();
            }
        }
        std::this_thread::sleep_for(1ms);
    }
    const auto outcome = calling.get();
    ASSERT_TRUE(std::holds_alternative<SessionEnd>(outcome));
    EXPECT_TRUE(std::get<SessionEnd>(outcome).isCrowded()) << std::get<SessionEnd>(outcome).reason;
    EXPECT_GE(greetings.size(), 2U) << "it is called again";
    EXPECT_LE(greetings.size(), 60U);
}

VERBCAST_OVER_TRANSPORTS(Pace, transportsForCrowds());

}  // namespace
}  // namespace verbcast::testing

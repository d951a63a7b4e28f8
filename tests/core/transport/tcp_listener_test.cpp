// The addresses of a tcp listener, and unknown peers there: limited in number and time, and never a reason to
// stay awake.
#include <gtest/gtest.h>
#include <netdb.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log/log.h"
#include "core/transport/tcp/half_open.h"
#include "tests/support/raw_tcp_sockets.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTooSlow = "this machine takes longer than callers have";

class TcpListenerTest : public ::testing::Test {
  protected:
    TcpListenerTest() : listener_(transportFor(url_).listen(url_, {})) {}

    std::string address() const { return listener_->address(); }
    bool awake(std::chrono::milliseconds within = 0ms) const {
        return waitReadable({listener_->waitDescriptor()}, within);
    }
    /// Lets the listener process everything; no connection must become complete.
    void settle() {
        // Twice: data sent before may take a moment to pass through the kernel.
        for (int round = 0; round < 2; ++round) {
            for (int turn = 0; turn < 1000 && awake(50ms); ++turn) {
                ASSERT_FALSE(listener_->accept());
            }
        }
    }
    Connection acceptWithin(std::chrono::seconds time) {
        Connection connection;
        const Deadline deadline = Deadline::in(time);
        while (!(connection = listener_->accept()) && !deadline.passed()) {
            waitReadable({listener_->waitDescriptor()}, deadline);
        }
        return connection;
    }

    /// Calls `attempt`, which returns what to check, until it took less time than a half has to find its
    /// partner: on a machine that stalls, callers may be dropped for their age meanwhile.
    template <typename Attempt>
    auto inTime(Attempt&& attempt) {
        for (int trial = 0; trial < 20; ++trial) {
            const TimestampNs begun = nowNs();
            auto seen = attempt();
            if (nowNs() - begun < tcp::kPairingDeadlineNs) {
                return std::optional(std::move(seen));
            }
            settle();  // all of that attempt have hung up
        }
        return std::optional<decltype(attempt())>();
    }

    const Url url_ = parseUrl("tcp://0.0.0.0:0");
    std::unique_ptr<Listener> listener_;
};

std::vector<UniqueFd> halves(const std::string& listener, const char* from, int count) {
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < count; ++i) {
        sockets.push_back(rawSocket(listener, from));
        writeAll(sockets.back().get(), bytesOf(newPreamble(tcp::StreamKind::Data)));
    }
    return sockets;
}

std::size_t countAlive(const std::vector<UniqueFd>& sockets) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sockets, [](const UniqueFd& each) { return !hangsUp(each.get(), 0ms); }));
}

TEST_F(TcpListenerTest, AHalfThatSaysMoreThanItShouldDoesNotKeepTheListenerAwake) {
    struct Seen {
        bool awake, hungUp;
    };
    for (const auto kind : {tcp::StreamKind::Data, tcp::StreamKind::Control}) {
        const auto seen = inTime([&] {
            const UniqueFd stranger = rawSocket(address());
            EXPECT_TRUE(writeAll(stranger.get(), bytesOf(newPreamble(kind))));
            const std::vector<std::byte> more(kind == tcp::StreamKind::Data ? 1 : 5000);
            EXPECT_TRUE(writeAll(stranger.get(), more));
            settle();
            return Seen{awake(200ms), hangsUp(stranger.get(), 0ms)};
        });
        if (!seen) {
            GTEST_SKIP() << kTooSlow;
        }
        EXPECT_FALSE(seen->awake);
        EXPECT_FALSE(seen->hungUp) << "its partner may still come";
    }
}

TEST_F(TcpListenerTest, WhatAHalfSaysEarlyIsNotLost) {
    struct Pair {
        UniqueFd control, data;
        Connection accepted;
    };
    auto pair = inTime([&] {
        tcp::Preamble preamble = newPreamble(tcp::StreamKind::Control);
        Pair made{rawSocket(address()), {}, {}};
        const std::array<std::byte, 3> word{};
        const tcp::ControlHeader header{tcp::kControlMagic, sizeof word};
        EXPECT_TRUE(writeAll(made.control.get(), bytesOf(preamble)) &&
                    writeAll(made.control.get(), bytesOf(header)) && writeAll(made.control.get(), word));
        settle();
        preamble.kind = tcp::StreamKind::Data;
        made.data = rawSocket(address());
        EXPECT_TRUE(writeAll(made.data.get(), bytesOf(preamble)));
        made.accepted = acceptWithin(3s);
        return made;
    });
    ASSERT_TRUE(pair) << "it was never accepted, or " << kTooSlow;
    End end;
    end.set(std::move(pair->accepted));
    ASSERT_TRUE(end.connection);
    const Deadline deadline = Deadline::in(kPatience);
    while (end.messages.empty() && !deadline.passed()) {
        end.serve();
    }
    EXPECT_EQ(end.messages.size(), 1U);
}

TEST_F(TcpListenerTest, TheTimeOfAHalfEndsByItself) {
    const UniqueFd whole = rawSocket(address());
    ASSERT_TRUE(writeAll(whole.get(), bytesOf(newPreamble(tcp::StreamKind::Control))));
    const UniqueFd silent = rawSocket(address());
    const UniqueFd partial = rawSocket(address());
    ASSERT_TRUE(writeAll(partial.get(), bytesOf(newPreamble(tcp::StreamKind::Data)).first(31)));
    const TimestampNs start = nowNs();
    settle();
    // Only the listener's own descriptor signals the timeouts. Each connection has its own, counted from when
    // it was accepted.
    const Deadline deadline = Deadline::in(60s);
    for (const UniqueFd* half : {&whole, &silent, &partial}) {
        while (!hangsUp(half->get(), 0ms) && !deadline.passed()) {
            waitReadable({listener_->waitDescriptor()}, deadline);
            ASSERT_FALSE(listener_->accept());
        }
        EXPECT_TRUE(hangsUp(half->get(), 0ms));
    }
    EXPECT_GT(static_cast<double>(nowNs() - start) * 1e-9, 1.5);
    settle();
    EXPECT_FALSE(awake(100ms)) << "the timer rests";
}

TEST_F(TcpListenerTest, AHalfThatGivesUpIsForgottenAtOnce) {
    UniqueFd stranger = rawSocket(address());
    ASSERT_TRUE(writeAll(stranger.get(), bytesOf(newPreamble(tcp::StreamKind::Data))));
    settle();
    const std::size_t before = openDescriptors();
    stranger.reset();
    ASSERT_TRUE(awake(kPatience));
    settle();
    EXPECT_EQ(openDescriptors(), before - 2) << "its end and ours";
}

TEST_F(TcpListenerTest, StrangersAreHungUpOn) {
    const UniqueFd stranger = rawSocket(address());
    const std::string request = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
    ASSERT_TRUE(writeAll(stranger.get(), std::as_bytes(std::span(request))));
    settle();
    EXPECT_TRUE(hangsUp(stranger.get(), kPatience));
}

TEST_F(TcpListenerTest, OneAddressGetsItsShareAndTheOldestGoFirst) {
    struct Seen {
        std::size_t alive;
        bool firstHungUp, lastHungUp;
    };
    const auto seen = inTime([&] {
        const auto sockets = halves(address(), "127.0.0.1", 40);
        settle();
        return Seen{countAlive(sockets), hangsUp(sockets.front().get(), 0ms),
                    hangsUp(sockets.back().get(), 0ms)};
    });
    if (!seen) {
        GTEST_SKIP() << kTooSlow;
    }
    EXPECT_EQ(seen->alive, 16U);
    EXPECT_TRUE(seen->firstHungUp);
    EXPECT_FALSE(seen->lastHungUp);
}

TEST_F(TcpListenerTest, ManyAddressesShareABoundAndTheMostDemandingGivesWay) {
    struct Seen {
        std::size_t modest;
        std::vector<std::size_t> crowds;
    };
    const auto seen = inTime([&] {
        std::vector<std::vector<UniqueFd>> crowds;
        for (const char* from : {"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"}) {
            crowds.push_back(halves(address(), from, 16));
            settle();
        }
        const auto late = halves(address(), "127.0.0.5", 6);
        settle();
        Seen alive{countAlive(late), {}};
        std::ranges::transform(crowds, std::back_inserter(alive.crowds), countAlive);
        return alive;
    });
    if (!seen) {
        GTEST_SKIP() << kTooSlow;
    }
    EXPECT_EQ(seen->modest, 6U) << "a modest caller is served";
    EXPECT_GE(std::ranges::min(seen->crowds), 14U);
    EXPECT_EQ(std::reduce(seen->crowds.begin(), seen->crowds.end(), seen->modest), 64U);
}

TEST_F(TcpListenerTest, CallersGetThroughACrowdOfStrangers) {
    const auto crowd = halves(address(), "127.0.0.1", 60);
    const RawTcpSockets caller(address(), "127.0.0.1");
    EXPECT_TRUE(acceptWithin(kPatience)) << "the newest stay, also from that address";
    const RawTcpSockets another(address(), "127.0.0.9");
    EXPECT_TRUE(acceptWithin(kPatience));
}

TEST_F(TcpListenerTest, ManyCallersAtOnceAllGetThrough) {
    std::vector<RawTcpSockets> callers;
    for (int i = 0; i < 30; ++i) {
        callers.emplace_back(address());
    }
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(acceptWithin(kPatience)) << i;
    }
}

class CountedLines final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    std::atomic<int> count{0};

  private:
    void sink_it_(const spdlog::details::log_msg&) override { ++count; }
    void flush_() override {}
};

TEST_F(TcpListenerTest, AFloodOfCallersWritesAFewLines) {
    const auto lines = std::make_shared<CountedLines>();
    setLogSink(lines);
    const std::string text = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    for (int i = 0; i < 300; ++i) {
        const UniqueFd stranger = rawSocket(address());
        writeAll(stranger.get(), std::as_bytes(std::span(text)));
        while (awake(0ms)) {
            ASSERT_FALSE(listener_->accept());
        }
    }
    settle();
    setLogSink(nullptr);
    EXPECT_LE(lines->count, 5) << "and a summary, when its time has come";
}

/// The host "several.invalid" has these addresses while it lives.
class SeveralAddresses {
  public:
    explicit SeveralAddresses(std::vector<std::string> addresses) { current = std::move(addresses); }
    ~SeveralAddresses() { current.clear(); }
    SeveralAddresses(const SeveralAddresses&) = delete;
    SeveralAddresses& operator=(const SeveralAddresses&) = delete;

    static inline std::vector<std::string> current;
};

std::unique_ptr<Listener> listenAtSeveral(std::uint16_t port) {
    const Url url = parseUrl("tcp://several.invalid:" + std::to_string(port));
    return transportFor(url).listen(url, {});
}

std::string addressOf(const char* host, const Listener& listener) {
    return "tcp://" + std::string(host) + ":" + std::to_string(parseUrl(listener.address()).port);
}

TEST(TcpListenerAddresses, OneThatCannotBeUsedIsLeftOut) {
    for (const auto& addresses : {std::vector<std::string>{"203.0.113.1", "127.0.0.1"},
                                  std::vector<std::string>{"127.0.0.1", "203.0.113.1"}}) {
        const SeveralAddresses several(addresses);
        const auto listener = listenAtSeveral(0);
        const RawTcpSockets caller(addressOf("127.0.0.1", *listener));
        EXPECT_TRUE(waitReadable({listener->waitDescriptor()}, kPatience));
    }
    const SeveralAddresses none({"203.0.113.1", "203.0.113.2"});
    try {
        static_cast<void>(listenAtSeveral(0));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST(TcpListenerAddresses, OnePortServesAll) {
    const SeveralAddresses several({"127.0.0.1", "127.0.0.2"});
    const auto listener = listenAtSeveral(0);
    for (const char* host : {"127.0.0.1", "127.0.0.2"}) {
        const RawTcpSockets caller(addressOf(host, *listener));
        Connection connection;
        while (!connection && waitReadable({listener->waitDescriptor()}, kPatience)) {
            connection = listener->accept();
        }
        EXPECT_TRUE(connection) << host;
    }
    EXPECT_THROW(static_cast<void>(listenAtSeveral(parseUrl(listener->address()).port)), Error)
        << "a port that is taken";
}

}  // namespace

// Linked in getaddrinfo()'s place (ld --wrap).
extern "C" {
int __real_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**);
int __wrap_getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** result) {
    const std::string name = host != nullptr && (hints->ai_flags & AI_NUMERICHOST) == 0 ? host : "";
    if (name != "several.invalid") {
        return __real_getaddrinfo(host, service, hints, result);
    }
    int code = EAI_NONAME;
    for (const std::string& address : SeveralAddresses::current) {
        code = __real_getaddrinfo(address.c_str(), service, hints, result);
        if (code != 0) {
            break;
        }
        result = &(*result)->ai_next;
    }
    return code;
}
}

}  // namespace verbcast::testing

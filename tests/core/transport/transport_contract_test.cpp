// The contract of connections, messages and listeners, over every transport.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <iostream>

#include "core/transport/registry.h"
#include "tests/core/transport/caller.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class TransportContract : public TransportPair {};

TEST_P(TransportContract, DescribesItself) {
    const ConnectionDescription& description = source.channel().description();
    EXPECT_EQ(description.transport, GetParam().scheme());
    EXPECT_FALSE(description.local.empty());
    EXPECT_FALSE(description.peer.empty());
    EXPECT_FALSE(description.detail.empty());
    EXPECT_EQ(source.channel().sharedRing() != nullptr, sharesMemory());
    EXPECT_TRUE(source.channel().closeReason().empty());
}

TEST_P(TransportContract, IsWhatTheRegistrySays) {
    const Transport& transport = *findTransport(GetParam().scheme());
    EXPECT_EQ(source.path().sharesMemory(), transport.sharesMemory);
    EXPECT_EQ(source.channel().spinHelps(), transport.spinHelps);
    EXPECT_TRUE(transport.usesRdma() || !transport.needsRdma);
    EXPECT_TRUE(transport.reachesOtherHosts || source.channel().description().place != PeerPlace::OtherHost);
    EXPECT_TRUE(fallbackTransport().automatic);
}

TEST_P(TransportContract, MessagesOfEverySizeArriveInOrderBothWays) {
    std::size_t next = 0;
    const auto message = [](std::size_t size) {
        std::vector<std::byte> bytes(size);
        fill(bytes.data(), size, size);
        return bytes;
    };
    const std::vector<std::size_t> sizes{1, 2, 7, 8, 63, 64, 65, 1000, 4095, kMaxMessageBytes};
    for (const std::size_t size : sizes) {
        ASSERT_EQ(source.channel().send(message(size)), Status::Ok);
        ASSERT_EQ(sink.channel().send(message(size)), Status::Ok);
    }
    ASSERT_TRUE(serveUntil(
        [&] { return source.messages.size() == sizes.size() && sink.messages.size() == sizes.size(); }));
    for (const std::size_t size : sizes) {
        EXPECT_EQ(source.messages[next], message(size));
        EXPECT_EQ(sink.messages[next], message(size));
        ++next;
    }
    EXPECT_GT(source.channel().bytesReceived(), 0U);
}

TEST_P(TransportContract, MessagesThatCannotBeAreTheCallersFault) {
    const std::vector<std::byte> long_(kMaxMessageBytes + 1);
    EXPECT_THROW(static_cast<void>(source.channel().send({})), Error);
    EXPECT_THROW(static_cast<void>(source.channel().send(long_)), Error);
    ASSERT_EQ(source.channel().send(std::span(long_).first(1)), Status::Ok);
    EXPECT_TRUE(serveUntil([&] { return sink.messages.size() == 1; })) << "nothing was harmed";
}

TEST_P(TransportContract, ThousandsOfMessagesSurviveAReceiverThatReadsLate) {
    constexpr std::uint32_t kCount = 5000;
    std::uint32_t queued = 0;
    ASSERT_TRUE(serveUntil([&] {
        while (queued < kCount) {
            const Status status = source.channel().send(std::as_bytes(std::span(&queued, 1)));
            if (status != Status::Ok) {
                EXPECT_EQ(status, Status::Busy);
                break;
            }
            ++queued;
        }
        return sink.messages.size() == kCount;
    }));
    for (std::uint32_t i = 0; i < kCount; ++i) {
        std::uint32_t value = 0;
        std::memcpy(&value, sink.messages[i].data(), sizeof value);
        ASSERT_EQ(value, i);
    }
}

TEST_P(TransportContract, OneCallHandlesABoundedPartOfAFlood) {
    constexpr std::size_t kCount = 10'000;
    const std::byte message{1};
    std::size_t queued = 0;
    std::size_t most = 0;
    ASSERT_TRUE(serveUntil([&] {
        while (queued < kCount && source.channel().send(std::span(&message, 1)) == Status::Ok) {
            ++queued;
        }
        source.serve();
        const std::size_t before = sink.messages.size();
        static_cast<void>(sink.channel().process());
        most = std::max(most, sink.messages.size() - before);
        return sink.messages.size() == kCount;
    }));
    EXPECT_GT(most, 0U);
    EXPECT_LE(most, 256U);
}

TEST_P(TransportContract, AFloodThatLeavesRoomToSpareLeavesIt) {
    const std::vector<std::byte> patient(kMaxMessageBytes, std::byte{1});
    const std::vector<std::byte> urgent(kMaxMessageBytes, std::byte{2});
    constexpr int kFlood = 5000;
    int flooded = 0;
    int stops = 0;
    ASSERT_TRUE(serveUntil([&] {
        const int before = flooded;
        while (flooded < kFlood && source.channel().hasRoomToSpare()) {
            EXPECT_EQ(source.channel().send(patient), Status::Ok);
            ++flooded;
        }
        if (flooded > before && flooded < kFlood) {
            ++stops;
            EXPECT_EQ(source.channel().send(urgent), Status::Ok);
        }
        return flooded == kFlood && sink.messages.size() == static_cast<std::size_t>(kFlood + stops);
    }));
    EXPECT_GT(stops, 0);
}

TEST_P(TransportContract, AnOrderlyCloseIsSeenAfterTheLastMessage) {
    const std::array<std::byte, 1> bye{std::byte{9}};
    ASSERT_EQ(source.channel().send(bye), Status::Ok);
    // Like a session: the other side's answer shows that the message arrived.
    ASSERT_TRUE(serveUntil([&] { return sink.messages.size() == 1; }));
    source.channel().close();
    EXPECT_FALSE(source.channel().closeReason().empty());
    EXPECT_EQ(source.channel().process(), Progress::Closed);
    EXPECT_EQ(source.channel().send(bye), Status::Closed);
    source.connection = {};
    ASSERT_TRUE(serveUntil([&] { return sink.closed; }));
    EXPECT_FALSE(sink.channel().closeReason().empty());
    EXPECT_EQ(sink.channel().send(bye), Status::Closed);
}

TEST_P(TransportContract, WhatWasSaidBeforeHangingUpIsStillHeard) {
    const std::array<std::byte, 2> words{std::byte{7}, std::byte{8}};
    ASSERT_EQ(source.channel().send(words), Status::Ok);
    source.serve();
    source.channel().close();
    source.connection = {};
    ASSERT_TRUE(serveUntil([&] { return sink.closed; }));
    ASSERT_EQ(sink.messages.size(), 1U);
    EXPECT_EQ(sink.messages[0].size(), 2U);
}

TEST_P(TransportContract, AFrameAfterTheEndIsRefused) {
    giveRing(1, 10'000, 2);
    const OutgoingFrame outgoing = frame(0, 10'000);
    source.channel().close();
    EXPECT_EQ(source.path().send(outgoing), Status::Closed);
}

TEST_P(TransportContract, SeveralPeersAtOnce) {
    End otherCaller;
    End otherCalled;
    connectPair(otherCaller, otherCalled);
    const std::array<std::byte, 1> one{std::byte{1}};
    ASSERT_EQ(otherCaller.channel().send(one), Status::Ok);
    const Deadline deadline = Deadline::in(kPatience);
    while (otherCalled.messages.empty() && !deadline.passed()) {
        otherCaller.serve();
        if (!otherCalled.serve() && otherCalled.readyToSleep()) {
            waitReadable({otherCalled.channel().waitDescriptor()}, 100ms);
        }
    }
    EXPECT_EQ(otherCalled.messages.size(), 1U);
    sink.serve();
    EXPECT_TRUE(sink.messages.empty());
}

TEST_P(TransportContract, NobodyListeningIsANetworkErrorWithARemedy) {
    const std::string address = listener_->address();
    source.connection = {};
    sink.connection = {};
    listener_.reset();
    try {
        static_cast<void>(connect(parseUrl(address)));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_NE(std::string(error.what()).find(address), std::string::npos) << error.what();
    }
}

TEST_P(TransportContract, AnAddressInUseIsANetworkErrorWithARemedy) {
    try {
        static_cast<void>(listen(parseUrl(listener_->address())));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
    }
}

TEST_P(TransportContract, CancelledConnectingGivesNoConnection) {
    Event cancel;
    cancel.notify();
    Connection connection;
    EXPECT_NO_THROW(connection = connect(parseUrl(listener_->address()), cancel));
    EXPECT_FALSE(connection);
}

TEST_P(TransportContract, ConnectionsThatComeAndGoLeaveNoDescriptor) {
    {
        End caller;  // lazy initialisation happens here
        End called;
        connectPair(caller, called);
    }
    const std::size_t before = openDescriptors();
    for (int i = 0; i < 20; ++i) {
        End caller;
        End called;
        connectPair(caller, called);
        const std::byte word{1};
        ASSERT_EQ(caller.channel().send(std::span(&word, 1)), Status::Ok);
        caller.serve();
        called.serve();
    }
    EXPECT_EQ(openDescriptors(), before);
}

/// Limits this process to `spare` more descriptors than it has.
class FewDescriptors {
  public:
    explicit FewDescriptors(std::size_t spare) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        // The limit applies to descriptor numbers, and the lowest free number is used.
        rlimit few = before_;
        int next = 0;
        for (std::size_t found = 0; found <= spare; ++next) {
            found += ::fcntl(next, F_GETFD) < 0 ? 1 : 0;
        }
        few.rlim_cur = static_cast<rlim_t>(next - 1);
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

TEST_P(TransportContract, AListenerWithoutDescriptorsSaysSoAndWorksAgain) {
    const Caller caller(listener_->address());
    bool shortage = false;
    for (std::size_t spare = 0; spare < 8; ++spare) {
        const FewDescriptors few(spare);
        const Deadline deadline = Deadline::in(spare == 0 ? kPatience : 2s);
        for (bool done = false; !done && !deadline.passed();) {
            waitReadable({listener_->waitDescriptor()}, deadline);
            try {
                done = static_cast<bool>(listener_->accept());
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::Resource) << error.what();
                EXPECT_FALSE(error.remedy().empty());
                shortage = done = true;
            }
        }
        EXPECT_TRUE(shortage) << "at the latest when there is none at all";
    }
    EXPECT_TRUE(acceptOne(*listener_)) << "after the shortage";
}

/// Otherwise libfabric's writes to a peer that has disconnected would kill it.
TEST(Ofi, AProgramThatSaysNothingOfSigpipeIgnoresIt) {
    if (const auto ofi = findTransport("ofi")->availability(); !ofi.available) {
        GTEST_SKIP() << ofi.reason;
    }
    const Url url = parseUrl("ofi://127.0.0.1:0?provider=tcp");
    const auto before = std::signal(SIGPIPE, SIG_DFL);
    static_cast<void>(transportFor(url).listen(url, {}));
    const auto own = [](int /*signal*/) {};
    EXPECT_EQ(std::signal(SIGPIPE, own), SIG_IGN);
    static_cast<void>(transportFor(url).listen(url, {}));
    EXPECT_EQ(std::signal(SIGPIPE, before), static_cast<void (*)(int)>(own)) << "what it says counts";
}

INSTANTIATE_TEST_SUITE_P(Over, TransportContract, ::testing::ValuesIn(transportsUnderTest()), transportName);
}  // namespace

void callForEver(const std::string& url) {
    for (;;) {
        try {
            End end;
            end.set(transportFor(parseUrl(url)).connect(parseUrl(url), {}, Deadline::in(10s), Event()));
            while (!end.closed) {
                if (!end.serve() && end.readyToSleep()) {
                    waitReadable({end.channel().waitDescriptor(), end.path().waitDescriptor()}, 10s);
                }
            }
        } catch (const Error& error) {
            if (std::getenv("VERBCAST_TEST_TALK") != nullptr) {
                std::cerr << "caller: " << error.what() << std::endl;
            }
        }
    }
}

}  // namespace verbcast::testing

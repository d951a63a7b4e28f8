// Streams over two rails whose connections are cut at any time: over two loopback addresses and, in the
// virtual machine, over a device and its interface.
#include <gtest/gtest.h>

#include <arpa/inet.h>

#include <array>
#include <cstdlib>
#include <future>
#include <random>
#include <tuple>

#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/core_support.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

constexpr const char* kAddresses[] = {"127.0.0.1", "127.0.0.2"};

/// Two routes from a host to itself.
struct RailPair {
    std::string name;
    std::string listen;                ///< '#' stands for a free port
    std::array<std::string, 2> rails;  ///< rails to it; '#' as above
    /// Whether the first rail is also a socket of this process, identified by its address.
    bool bothCanBeCut = true;
};

std::vector<RailPair> railPairs() {
    std::vector<RailPair> pairs{{"", "tcp://0.0.0.0:#", {"tcp://127.0.0.1:#", "tcp://127.0.0.2:#"}}};
    if (const char* device = std::getenv("VERBCAST_TEST_RDMA_ADDRESS")) {
        const std::string host = device;
        pairs.push_back({"verbs_", host + ":#", {"verbs://" + host + ":#", "tcp://" + host + ":#"}, false});
    }
    return pairs;
}

/// With `scripts/test --all`, as in tests/support/transport_under_test.h.
std::vector<RailPair> furtherRailPairs() {
#ifdef VERBCAST_TEST_OFI
    return {{"ofi_",
             "ofi://0.0.0.0:#?provider=tcp",
             {"ofi://127.0.0.1:#?provider=tcp", "ofi://127.0.0.2:#?provider=tcp"}}};
#else
    return {};
#endif
}

Url withPort(std::string url, const std::string& port) {
    return parseUrl(url.replace(url.find('#'), 1, port));
}

using RailCase = std::tuple<RailMode, RailPair>;

/// The sockets of that rail: the second rail's have its address at one end; all others are the first's.
std::set<int> socketsOf(std::size_t rail) {
    std::set<int> sockets;
    for (const int socket : connectedSockets("tcp")) {
        sockaddr_in ours{}, theirs{};
        socklen_t length = sizeof ours;
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &length);
        length = sizeof theirs;
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &length);
        in_addr second{};
        ::inet_pton(AF_INET, kAddresses[1], &second);
        const bool isSecond =
            ours.sin_addr.s_addr == second.s_addr || theirs.sin_addr.s_addr == second.s_addr;
        if (isSecond == (rail == 1)) {
            sockets.insert(socket);
        }
    }
    return sockets;
}

class RailStream : public ::testing::TestWithParam<RailCase> {
  protected:
    static RailMode mode() { return std::get<RailMode>(GetParam()); }
    static const RailPair& pair() { return std::get<RailPair>(GetParam()); }
    /// Cuts as far as the transports allow: where one rail has no socket of ours, always cuts the other.
    static void cutRail(std::size_t rail, Cut how) {
        cut(pair().bothCanBeCut ? socketsOf(rail) : connectedSockets("tcp"), how);
    }
    void start(Policy policy, bool senderListens) {
        sending_.policy = policy;
        sending_.peerTimeout = receiving_.peerTimeout = kLimit;
        sending_.stallTimeout = kLimit;
        receiving_.endWithStream = true;
        sending_.rails = receiving_.rails = mode();
        const ReservedAddress reserved("tcp");
        const std::string port = std::to_string(parseUrl(reserved.url()).port);
        const Url first = withPort(pair().rails[0], port);
        const Url second = withPort(pair().rails[1], port);
        if (senderListens) {
            sending_.url = withPort(pair().listen, port);
            sending_.trust.open = true;
            sender_ = std::make_unique<Broadcast>(sending_);
            receiving_.url = first;
            receiving_.spares = {second};
            viewer_ = std::make_unique<FrameReceiver>(receiving_);
        } else {
            receiving_.url = withPort(pair().listen, port);
            receiving_.listen = true;
            receiving_.trust.open = true;
            viewer_ = std::make_unique<FrameReceiver>(receiving_);
            sending_.listen = false;
            sending_.url = first;
            sending_.spares = {second};
            sender_ = std::make_unique<Broadcast>(sending_);
        }
    }
    bool railsUp(std::uint64_t count) const {
        const auto rails = viewer_->stats().rails;
        return static_cast<std::uint64_t>(std::ranges::count_if(rails, &RailStats::up)) == count;
    }
    std::uint64_t timesDown() const {
        std::uint64_t sum = 0;
        std::ranges::for_each(viewer_->stats().rails, [&](const RailStats& rail) { sum += rail.timesDown; });
        return sum;
    }
    bool bothUp() const {
        const auto viewers = sender_->stats().viewers;
        return railsUp(2) && viewers.size() == 1 && viewers[0].rails.size() == 2 && viewers[0].rails[0].up &&
               viewers[0].rails[1].up;
    }
    void expectAll(std::uint64_t frames) {
        ReceivedFrame frame;
        for (std::uint64_t expected = 0; expected < frames; ++expected) {
            ASSERT_EQ(viewer_->receive(frame, kLimit), Status::Ok) << expected;
            ASSERT_EQ(frame.info.sequence, expected);
            ASSERT_TRUE(isWhole(frame));
            if (onFrame_) {
                onFrame_(expected);
            }
        }
        frame = {};
    }
    std::future<void> sendAll(TestSource& source, std::uint64_t frames) {
        return std::async(std::launch::async, [this, &source, frames] {
            while (source.next < frames) {
                ASSERT_EQ(source.sendToWhoComes(*sender_), Status::Ok) << source.next;
            }
        });
    }
    void expectNothingLost(std::uint64_t frames) {
        EXPECT_EQ(viewer_->stats().framesTransferred, frames);
        EXPECT_EQ(viewer_->stats().framesLost, 0U);
        EXPECT_EQ(viewer_->stats().framesDropped, 0U);
        EXPECT_EQ(sender_->stats().framesLost, 0U);
        ASSERT_EQ(sender_->stats().viewers.size(), 1U) << "one viewer, however many rails it has";
        EXPECT_EQ(sender_->stats().viewers.front().framesSent, frames);
        EXPECT_EQ(sender_->stats().framesTransferred, frames);
    }

    SenderOptions sending_;
    ReceiverOptions receiving_;
    std::unique_ptr<Broadcast> sender_;
    std::unique_ptr<FrameReceiver> viewer_;
    std::function<void(std::uint64_t)> onFrame_;
    const VideoFormat format_ = tightFormat(320, 240, PixelFormat::rgba);
};

TEST_P(RailStream, EveryFrameArrivesOnceAndInOrderWhicheverSideConnects) {
    for (const bool senderListens : {true, false}) {
        SCOPED_TRACE(senderListens);
        start(Policy::Lossless, senderListens);
        TestSource source(format_, 8);
        constexpr std::uint64_t kFrames = 200;
        auto sending = sendAll(source, 5);
        expectAll(1);
        sending.get();
        ASSERT_TRUE(eventually([&] { return bothUp(); }));
        sending = sendAll(source, kFrames);
        ReceivedFrame frame;
        for (std::uint64_t expected = 1; expected < kFrames; ++expected) {
            ASSERT_EQ(viewer_->receive(frame, kLimit), Status::Ok) << expected;
            ASSERT_EQ(frame.info.sequence, expected);
            ASSERT_TRUE(isWhole(frame));
        }
        frame = {};
        sending.get();
        EXPECT_EQ(sender_->finish("done", kLimit, Event()), Status::Ok);
        expectNothingLost(kFrames);
        const auto rails = viewer_->stats().rails;
        EXPECT_EQ(rails[0].first + rails[1].first, kFrames);
        EXPECT_GT(rails[0].frames, 0U);
        EXPECT_GT(rails[1].frames, 0U);
        EXPECT_EQ(viewer_->receive(frame, kLimit), Status::Closed);
        for (const auto& ended : {viewer_->stats().rails, sender_->stats().viewers.front().rails}) {
            EXPECT_TRUE(std::ranges::none_of(ended, &RailStats::lost)) << "an orderly end is no loss";
        }
        viewer_.reset();
        sender_.reset();
        receiving_ = {};
        sending_ = {};
    }
}

TEST_P(RailStream, ARailThatIsCutLosesNothingAndIsTakenUpAgain) {
    std::minstd_rand random(7);
    for (const bool senderListens : {true, false}) {
        for (const Cut how : {Cut::Orderly, Cut::Abrupt}) {
            SCOPED_TRACE(::testing::Message() << senderListens << (how == Cut::Abrupt));
            start(Policy::Lossless, senderListens);
            TestSource source(format_, 8);
            constexpr std::uint64_t kFrames = 400;
            auto sending = sendAll(source, kFrames);
            std::uint64_t cuts = 0;
            onFrame_ = [&](std::uint64_t sequence) {
                // Either rail, once the other is up: never both at a time.
                if (sequence % 20 == random() % 20 && bothUp()) {
                    const std::uint64_t before = timesDown();
                    cutRail(random() % 2, how);
                    ++cuts;
                    ASSERT_TRUE(eventually([&] { return timesDown() > before; }));
                }
                if (cuts < 3 && sequence > 40) {
                    ASSERT_TRUE(eventually([&] { return bothUp(); }));
                }
            };
            expectAll(kFrames);
            onFrame_ = nullptr;
            sending.get();
            EXPECT_EQ(sender_->finish("done", kLimit, Event()), Status::Ok);
            expectNothingLost(kFrames);
            EXPECT_GE(cuts, 2U);
            const auto rails = viewer_->stats().rails;
            EXPECT_GE(rails[0].timesDown + rails[1].timesDown, cuts);
            viewer_.reset();
            sender_.reset();
            receiving_ = {};
            sending_ = {};
        }
    }
}

TEST_P(RailStream, OfALosslessStreamNothingIsLostWhenAllRailsAreCutAtOnce) {
    start(Policy::Lossless, true);
    TestSource source(format_, 8);
    constexpr std::uint64_t kFrames = 200;
    auto sending = sendAll(source, kFrames);
    onFrame_ = [&](std::uint64_t sequence) {
        if (sequence % 60 == 30) {
            cut(connectedSockets("tcp"), Cut::Abrupt);
        }
    };
    expectAll(kFrames);
    sending.get();
    EXPECT_EQ(sender_->finish("done", kLimit, Event()), Status::Ok);
    expectNothingLost(kFrames);
}

// A live source in step with its viewer: losing a rail must not disturb it.
TEST_P(RailStream, OfALiveStreamNoFrameIsLostBecauseOfARail) {
    start(Policy::Latest, true);
    TestSource source(format_, 16);
    ASSERT_EQ(sender_->waitForReceiver(kLimit, source.never), Status::Ok);
    ASSERT_TRUE(eventually([&] { return bothUp(); }));
    constexpr std::uint64_t kFrames = 300;
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
        if (expected % 50 == 25) {
            ASSERT_TRUE(eventually([&] { return bothUp(); }));
        }
        ASSERT_EQ(source.send(*sender_), Status::Ok);
        if (expected % 50 == 25) {
            cutRail(expected / 50 % 2, Cut::Abrupt);
        }
        ASSERT_EQ(viewer_->receive(frame, kLimit), Status::Ok) << expected;
        ASSERT_EQ(frame.info.sequence, expected);
        ASSERT_TRUE(isWhole(frame));
    }
    frame = {};
    EXPECT_EQ(sender_->finish("done", kLimit, Event()), Status::Ok);
    expectNothingLost(kFrames);
    EXPECT_EQ(sender_->stats().framesDropped, 0U);
}

TEST_P(RailStream, FormatsMayChangeWhileRailsDie) {
    start(Policy::Lossless, true);
    constexpr std::uint64_t kFrames = 240;
    auto sending = std::async(std::launch::async, [&] {
        std::unique_ptr<TestSource> source;
        for (std::uint64_t next = 0; next < kFrames; ++next) {
            if (next % 40 == 0) {
                const std::uint32_t width = 160 + 16 * static_cast<std::uint32_t>(next / 40 % 3);
                source = std::make_unique<TestSource>(tightFormat(width, 120, PixelFormat::rgba), 8);
                source->next = next;
            }
            ASSERT_EQ(source->sendToWhoComes(*sender_), Status::Ok) << next;
        }
    });
    onFrame_ = [&](std::uint64_t sequence) {
        // Not at the end: the sender cannot know about frames whose arrival could no longer be reported.
        if (sequence % 40 == 39 && sequence < kFrames - 40) {
            cutRail(sequence / 40 % 2, Cut::Abrupt);
        }
    };
    expectAll(kFrames);
    sending.get();
    EXPECT_EQ(sender_->finish("done", kLimit, Event()), Status::Ok);
    expectNothingLost(kFrames);
}

TEST_P(RailStream, InputIsNeverDoubled) {
    sending_.allowInput = true;
    start(Policy::Lossless, true);
    TestSource source(format_, 8);
    ASSERT_EQ(sender_->waitForReceiver(kLimit, source.never), Status::Ok);
    ASSERT_TRUE(eventually([&] { return bothUp() && viewer_->inputAllowed(); }));
    constexpr std::uint64_t kEvents = 100;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        InputEvent event;
        event.kind = InputKind::Key;
        event.code = static_cast<std::uint32_t>(i);
        ASSERT_NE(viewer_->sendInput(event), 0U);
    }
    std::vector<ViewerInput> got;
    ASSERT_TRUE(eventually([&] {
        sender_->takeInput(got);
        return got.size() >= kEvents;
    }));
    ASSERT_EQ(got.size(), kEvents);
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        EXPECT_EQ(got[i].event.code, i);
    }
}

std::string railsName(const ::testing::TestParamInfo<RailCase>& test) {
    const bool doubled = std::get<RailMode>(test.param) == RailMode::Double;
    return std::get<RailPair>(test.param).name + (doubled ? "doubled" : "striped");
}

INSTANTIATE_TEST_SUITE_P(Modes, RailStream,
                         ::testing::Combine(::testing::Values(RailMode::Double, RailMode::Stripe),
                                            ::testing::ValuesIn(railPairs())),
                         railsName);
INSTANTIATE_TEST_SUITE_P(ThoroughModes, RailStream,
                         ::testing::Combine(::testing::Values(RailMode::Double, RailMode::Stripe),
                                            ::testing::ValuesIn(furtherRailPairs())),
                         railsName);

}  // namespace
}  // namespace verbcast::testing

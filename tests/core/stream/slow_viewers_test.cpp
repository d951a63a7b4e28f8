// Stalled viewers beside healthy ones: what a broadcast guarantees to each of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <regex>
#include <set>

#include "tests/core/session/core_support.h"
#include "tests/core/session/log_text.h"
#include "tests/support/raw_peer.h"

namespace verbcast::testing {
namespace {

class SlowViewers : public TransportSuite {
  protected:
    SenderOptions options(Policy policy) const {
        SenderOptions options = senderOptions(GetParam(), policy);
        options.maxReceivers = 32;
        options.peerTimeout = 10min;  // stalled viewers are silent for the whole test
        return options;
    }

    /// Handmade viewers that accept the stream and then never read from it again.
    static std::vector<std::unique_ptr<RawPeer>> stalledPeers(const Broadcast& sender, std::size_t count) {
        std::vector<std::unique_ptr<RawPeer>> peers;
        for (std::size_t i = 0; i < count; ++i) {
            peers.push_back(std::make_unique<RawPeer>(sender));
            peers.back()->takesFrames = false;
            peers.back()->greet(Role::Receiver);
            EXPECT_TRUE(peers.back()->greeted());
        }
        return peers;
    }

    /// Sends 200 frames, each once the viewer has the previous one: it misses none, whatever the others do.
    static void expectEveryFrame(Broadcast& sender, FrameReceiver& fast, TestSource& source) {
        std::atomic<std::uint64_t> received{source.next};
        auto watching = std::async(std::launch::async, [&] {
            ReceivedFrame frame;
            for (std::uint64_t expected = received; expected < 200; ++expected) {
                ASSERT_EQ(fast.receive(frame, kLimit), Status::Ok);
                ASSERT_EQ(frame.info.sequence, expected);
                ASSERT_TRUE(isWhole(frame));
                frame = {};
                ++received;
            }
        });
        while (source.next < 200 && !::testing::Test::HasFailure()) {
            ASSERT_EQ(source.send(sender), Status::Ok) << "the source has no slot for frame " << source.next;
            ASSERT_TRUE(eventually([&] { return received == source.next; })) << source.next;
        }
        watching.get();
        EXPECT_EQ(fast.stats().framesDropped, 0U);
    }
    /// On a slow machine, heartbeats fill the message queue of a viewer that does not read: then it may be
    /// gone.
    static bool isFullOfHeartbeats(const std::string& departure) {
        return departure.ends_with("read its messages");
    }
    static void expectNobodyGone(Broadcast& sender, std::size_t receivers) {
        std::vector<std::string> departures = sender.takeDepartures();
        const std::size_t full = std::erase_if(departures, isFullOfHeartbeats);
        EXPECT_EQ(sender.receiverCount() + full, receivers);
        EXPECT_TRUE(departures.empty()) << "those that stall share the slots there are for them: "
                                        << fmt::format("{}", fmt::join(departures, "; "));
    }

    /// Large enough that socket buffers do not hide a viewer that does not read.
    const VideoFormat format_ = tightFormat(640, 480, PixelFormat::rgba);
};

/// Shared memory only: elsewhere a viewer holds a frame only until the transport has taken it.
class SlowViewersOfSharedMemory : public SlowViewers {};
/// Not over shared memory, where the viewer holds the source's own slots.
class SlowViewersWithSlotsOfTheirOwn : public SlowViewers {};

/// Sends frames that every viewer gets. Over shared memory these are two, which stalled viewers then hold.
/// Each may hold two: on a busy machine, where they start late, they would hold different frames, and some
/// would have to be disconnected (SlotBudget).
void beginForAll(Broadcast& sender, FrameReceiver& fast, TestSource& source,
                 std::vector<std::unique_ptr<RawPeer>>& peers) {
    const bool held = peers.front()->path().sharesMemory();
    for (std::size_t count = 1; count <= (held ? 2 : 1); ++count) {
        ASSERT_EQ(source.send(sender), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(fast.receive(frame, kLimit), Status::Ok);
        for (auto& peer : peers) {
            peer->takesFrames = held;
            ASSERT_TRUE(peer->serveUntil(
                [&] { return held ? peer->frames.size() == count : !peer->formats.empty(); }));
            peer->takesFrames = false;
        }
    }
}

/// Number of voluntary context switches of this process's other threads.
std::uint64_t turnsOfOthers() {
    std::uint64_t turns = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(::gettid())) {
            continue;
        }
        std::ifstream status(task.path() / "status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("voluntary_ctxt_switches:")) {
                turns += std::stoull(line.substr(line.find(':') + 1));
            }
        }
    }
    return turns;
}

TEST_P(SlowViewersWithSlotsOfTheirOwn, ThatStallAreGivenNoTurnForAFrameThatCannotLeave) {
    if (GetParam() == "ofi_shm") {
        GTEST_SKIP() << "libfabric's shm wants to be polled";
    }
    Broadcast sender(options(Policy::Latest));
    auto peers = stalledPeers(sender, 4);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 4; }));
    TestSource source(format_, 8);
    for (auto& peer : peers) {
        ASSERT_EQ(source.send(sender), Status::Ok);
        ASSERT_TRUE(peer->serveUntil([&] { return !peer->formats.empty(); }));
    }
    // Until every slot and every buffer is full. On a busy machine a link's thread may not run for a while.
    std::uint64_t sent = 0;
    for (int still = 0; still < 10; ++still) {
        ASSERT_EQ(source.send(sender), Status::Ok);
        std::this_thread::sleep_for(50ms);
        const std::uint64_t now = sender.stats().framesTransferred;
        still = now != sent ? -1 : still;
        sent = now;
    }
    constexpr std::uint64_t kFrames = 300;
    const std::uint64_t before = turnsOfOthers();
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        ASSERT_EQ(source.send(sender), Status::Ok);
        std::this_thread::sleep_for(200us);  // time for a thread that is woken for it to run
    }
    EXPECT_LT(turnsOfOthers(), before + kFrames) << "four links, " << kFrames << " frames";
}

TEST_P(SlowViewers, ThreeThatStallCostAFastOneNothing) {
    SenderOptions enough = options(Policy::Latest);
    // Two for each stalled viewer, three for the others (see SlotBudget), and some that the fast one has
    // released, of which the sender of a busy machine has not heard.
    enough.slots = 13;
    Broadcast sender(enough);
    auto peers = stalledPeers(sender, 3);
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 4; }));
    TestSource source(format_, 13);
    beginForAll(sender, fast, source, peers);
    expectEveryFrame(sender, fast, source);
    expectNobodyGone(sender, 4);
}

TEST_P(SlowViewers, SixteenThatStallCostAFastOneNothing) {
    Broadcast sender(options(Policy::Latest));
    auto peers = stalledPeers(sender, 16);
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 17; }));
    TestSource source(format_, 8);
    beginForAll(sender, fast, source, peers);
    expectEveryFrame(sender, fast, source);
    if (peers.front()->path().sharesMemory()) {
        expectNobodyGone(sender, 17);
        return;
    }
    // If sockets accept more from some viewers than from others, these hold different frames, for which there
    // may be no room.
    for (const std::string& departure : sender.takeDepartures()) {
        EXPECT_TRUE(departure.find("--slots") != std::string::npos || isFullOfHeartbeats(departure))
            << departure;
    }
}

TEST_P(SlowViewers, ProgramsThatHoldTheirFramesCostAFastOneNothing) {
    Broadcast sender(options(Policy::Latest));
    std::vector<std::unique_ptr<FrameReceiver>> holding;
    for (int i = 0; i < 3; ++i) {
        holding.push_back(std::make_unique<FrameReceiver>(receiverOptions(sender)));
    }
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 4; }));
    TestSource source(format_, 8);
    expectEveryFrame(sender, fast, source);
}

TEST_P(SlowViewersOfSharedMemory, AViewerThatBeginsToStallWhereThereIsNoRoomIsSentAwayAndToldWhy) {
    SenderOptions few = options(Policy::Latest);
    few.slots = 4;  // one of them for slow receivers
    Broadcast sender(few);
    auto peers = stalledPeers(sender, 1);
    FrameReceiver fast(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    TestSource source(format_, 4);
    beginForAll(sender, fast, source, peers);
    expectEveryFrame(sender, fast, source);
    if (GetParam() != "ofi_tcp") {  // there the refusal waits behind untaken frames
        EXPECT_TRUE(contains(peers[0]->awaitRefusal(), "too slow: "));
        EXPECT_EQ(peers[0]->refuseCode, RefuseCode::Stalled);
    }
    std::vector<std::string> departures;
    ASSERT_TRUE(eventually([&] { return !(departures = sender.takeDepartures()).empty(); }));
    EXPECT_TRUE(contains(departures[0], "--slots"));
}

/// Sends until `frames` have been sent and finishes, while `viewer` receives all of them.
/// Up to this frame.
void expectLossless(Broadcast& sender, FrameReceiver& viewer, TestSource& source, std::uint64_t frames) {
    const std::uint64_t first = source.next;
    auto sending = std::async(std::launch::async, [&] {
        while (source.next < frames) {
            ASSERT_EQ(source.send(sender), Status::Ok) << source.next << ": " << sender.lastEnd().reason;
        }
    });
    ReceivedFrame frame;
    for (std::uint64_t expected = first; expected < frames; ++expected) {
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok) << expected << ": " << sender.lastEnd().reason;
        ASSERT_EQ(frame.info.sequence, expected);
        ASSERT_TRUE(isWhole(frame));
        frame = {};
    }
    sending.get();
    EXPECT_EQ(viewer.stats().framesLost, 0U);
}

TEST_P(SlowViewers, AFrameHasLeftOnceItsFormatWasAccepted) {
    Broadcast sender(options(Policy::Lossless));
    TestSource source(format_, 8);
    {
        RawPeer peer(sender);
        peer.accepts = false;
        peer.greet(Role::Receiver);
        ASSERT_TRUE(peer.greeted());
        ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
        EXPECT_EQ(sender.waitUntilSent(50ms, source.never), Status::TimedOut);
    }
    EXPECT_EQ(sender.waitUntilSent(kLimit, source.never), Status::Ok) << "nobody is there";
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok);
    EXPECT_EQ(sender.waitUntilSent(kLimit, source.never), Status::Ok);
    EXPECT_TRUE(eventually([&] { return sender.stats().framesTransferred == 2U; }))
        << "what the first one left untaken is for the next";
}

TEST_P(SlowViewers, ALosslessSourceSendsAwayOneThatNeverAccepts) {
    SenderOptions impatient = options(Policy::Lossless);
    impatient.stallTimeout = 2s;
    Broadcast sender(impatient);
    RawPeer mute(sender);
    mute.accepts = false;
    mute.greet(Role::Receiver);
    ASSERT_TRUE(mute.greeted());
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    TestSource source(format_, 8);
    expectLossless(sender, viewer, source, 60);
    EXPECT_TRUE(contains(mute.awaitRefusal(), "took no frame for 2 s")) << mute.refusal;
    EXPECT_EQ(mute.refuseCode, RefuseCode::Stalled);
    EXPECT_EQ(sender.receiverCount(), 1U);
    std::vector<std::string> departures;
    ASSERT_TRUE(eventually([&] { return !(departures = sender.takeDepartures()).empty(); }));
    EXPECT_TRUE(contains(departures[0], "took no frame"));
    EXPECT_TRUE(contains(sender.lastEnd().reason, "took no frame"));
    EXPECT_EQ(sender.stats().framesLost, 0U) << "it took nothing";
}

TEST_P(SlowViewers, ALosslessSourceSendsAwayOneThatStopsTaking) {
    LogText told;
    SenderOptions impatient = options(Policy::Lossless);
    impatient.stallTimeout = 2s;
    Broadcast sender(impatient);
    auto peers = stalledPeers(sender, 1);
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 2; }));
    TestSource source(format_, 16);
    // The peer listens again while the sender still says goodbye: over RDMA nothing else keeps the message.
    std::thread stalling([&] {
        peers[0]->serveUntil([&] { return !peers[0]->formats.empty(); });
        EXPECT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
        EXPECT_TRUE(contains(peers[0]->awaitRefusal(), "took no frame")) << peers[0]->refusal;
    });
    expectLossless(sender, viewer, source, 60);
    stalling.join();
    EXPECT_GT(sender.stats().framesLost, 0U) << "what it did not get";
    EXPECT_TRUE(contains(told.end(), " of track 0 are lost")) << "and which these are";
}

// Regression: a relay that waited for its viewer lost what it had not taken meanwhile.
TEST_P(SlowViewersWithSlotsOfTheirOwn, TheOnlyOneThatIsSentAwayMissesNothing) {
    SenderOptions impatient = options(Policy::Lossless);
    impatient.stallTimeout = 300ms;
    Broadcast sender(impatient);
    ReceiverOptions few = receiverOptions(sender);
    few.slots = 2;
    FrameReceiver viewer(few);
    TestSource source(format_, 8);
    constexpr std::uint64_t kFrames = 30;
    auto sending = std::async(std::launch::async, [&] {
        while (source.next < kFrames) {
            ASSERT_EQ(source.sendToWhoComes(sender), Status::Ok) << source.next;
        }
    });
    ReceivedFrame frame;
    for (std::uint64_t expected = 0; expected < kFrames; ++expected) {
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok) << expected;
        ASSERT_EQ(frame.info.sequence, expected);
        ASSERT_TRUE(isWhole(frame));
        frame = {};
        if (expected == 0) {
            ASSERT_TRUE(eventually([&] { return sender.stats().connections > 1; })) << "it was sent away";
        }
    }
    sending.get();
    EXPECT_EQ(viewer.stats().framesLost, 0U);
    EXPECT_EQ(sender.stats().framesLost, 0U);
}

/// Knows one host.
class OneHost final : public KeyBook {
  public:
    std::optional<Entry> find(std::string_view name) override {
        return name == key.name ? std::optional(Entry{key.key}) : std::nullopt;
    }
    void unpairedCalled(const std::string& /*host*/) override {}
    std::optional<PairingInvitation> invitation() const override { return std::nullopt; }
    void pair(const Entry&, const NamedKey&, const std::string&, const std::string&) override {}
    const NamedKey key{"honest", SessionKey::random()};
};

TEST_P(SlowViewers, WhoHasHeldOthersUpComesBackWithoutThatRight) {
    const auto book = std::make_shared<OneHost>();
    SenderOptions shared = options(Policy::Lossless);
    shared.patience = 4s;
    shared.slots = 13;  // each that stalls may hold two others
    shared.trust.book = book;
    Broadcast sender(shared);
    ReceiverOptions honest = receiverOptions(sender);
    honest.trust.key = book->key;
    FrameReceiver viewer(honest);
    ASSERT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
    TestSource source(format_, 13);
    {
        auto peers = stalledPeers(sender, 1);
        std::thread stalling([&] {
            peers[0]->serveUntil([&] { return !peers[0]->formats.empty(); });
            EXPECT_TRUE(eventually([&] { return sender.receiverCount() == 1; }));
            EXPECT_TRUE(contains(peers[0]->awaitRefusal(), "held other viewers up for 4 s"))
                << peers[0]->refusal;
        });
        expectLossless(sender, viewer, source, 60);
        stalling.join();
        EXPECT_EQ(peers[0]->formats.front().policy, Policy::Lossless);
    }
    sender.takeDepartures();
    auto again = stalledPeers(sender, 3);
    expectLossless(sender, viewer, source, 120);
    for (auto& peer : again) {
        peer->serveUntil([&] { return !peer->formats.empty(); });
        EXPECT_EQ(peer->formats.front().policy, Policy::Latest) << "it is told that it may miss some";
    }
    expectLossless(sender, viewer, source, 180);
    expectNobodyGone(sender, 4);
}

TEST_P(SlowViewers, APauseOfTheSourceIsNoStallOfTheViewer) {
    SenderOptions impatient = options(Policy::Lossless);
    impatient.stallTimeout = 2s;
    Broadcast sender(impatient);
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource source(format_, 8);
    auto watching = std::async(std::launch::async, [&] {
        ReceivedFrame frame;
        std::uint64_t count = 0;
        while (viewer.receive(frame, kLimit) == Status::Ok) {
            EXPECT_EQ(frame.info.sequence, count++);
            frame = {};
        }
        return count;
    });
    for (int burst = 0; burst < 2; ++burst) {
        std::this_thread::sleep_for(2200ms);  // longer than the stall timeout
        for (int i = 0; i < 30; ++i) {
            ASSERT_EQ(source.send(sender), Status::Ok) << sender.lastEnd().reason;
        }
    }
    EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(watching.get(), 60U);
    EXPECT_EQ(sender.stats().connections, 1U) << sender.lastEnd().reason;
}

TEST_P(SlowViewersWithSlotsOfTheirOwn, AViewerMayHoldMoreFramesThanALosslessSourceHasSlots) {
    Broadcast sender(options(Policy::Lossless));
    ReceiverOptions many = receiverOptions(sender);
    many.slots = 64;
    FrameReceiver viewer(many);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource source(tightFormat(64, 48, PixelFormat::rgba), 8);
    auto sending = std::async(std::launch::async, [&] {
        while (source.next < 40) {
            ASSERT_EQ(source.send(sender), Status::Ok) << source.next;
        }
    });
    std::vector<ReceivedFrame> held(40);
    for (std::uint64_t i = 0; i < held.size(); ++i) {
        ASSERT_EQ(viewer.receive(held[i], kLimit), Status::Ok) << i;
        ASSERT_EQ(held[i].info.sequence, i);
    }
    sending.get();
    for (const ReceivedFrame& frame : held) {
        EXPECT_TRUE(isWhole(frame));
    }
}

/// All sequences in "frames A to B of track 0 are lost" messages of the log.
std::set<std::uint64_t> sequencesNamedLost(const std::string& log) {
    static const std::regex words("frames ([0-9]+) to ([0-9]+) of track 0 are lost");
    std::set<std::uint64_t> sequences;
    for (std::sregex_iterator found(log.begin(), log.end(), words), end; found != end; ++found) {
        for (std::uint64_t one = std::stoull((*found)[1]); one <= std::stoull((*found)[2]); ++one) {
            sequences.insert(one);
        }
    }
    return sequences;
}

TEST_P(SlowViewers, AViewerSentAwayAgainAndAgainIsNotAccusedOfWhatItDidNotRead) {
    LogText told;
    std::vector<std::uint64_t> missing;
    // The consumer stalls over several connections: its backlog must not overflow.
    SenderOptions impatient = options(Policy::Lossless);
    impatient.stallTimeout = 100ms;
    Broadcast sender(impatient);
    ReceiverOptions few = receiverOptions(sender);
    few.slots = 2;
    FrameReceiver viewer(few);
    TestSource source(format_, 16);
    Event stop;
    auto sending = std::async(std::launch::async, [&] {
        while (!stop.isSet()) {
            auto lease = source.pool->acquire(50ms, &stop);
            if (!lease) {
                continue;
            }
            TestSource::fill(lease->data(), format_.payloadBytes, source.next);
            const Status status = sender.submit(std::move(*lease), format_, source.info(), stop);
            source.next += status == Status::Ok ? 1 : 0;
            if (status == Status::Busy) {
                static_cast<void>(sender.waitForReceiver(50ms, stop));
            }
        }
    });
    EXPECT_TRUE(eventually([&] { return viewer.stats().connections >= 6; }));
    std::uint64_t last = 0, count = 0;
    ReceivedFrame frame;
    while (count < 30 && viewer.receive(frame, kLimit) == Status::Ok) {
        EXPECT_TRUE(count == 0 || frame.info.sequence > last);
        const bool whole = isWhole(frame);
        // Over shm, a disconnected viewer's slots are reused, even while it still reads them.
        if (!viewer.confirm(frame)) {
            EXPECT_EQ(GetParam(), "shm");
            continue;
        }
        EXPECT_TRUE(whole);
        for (std::uint64_t sequence = last + 1; count > 0 && sequence < frame.info.sequence; ++sequence) {
            missing.push_back(sequence);
        }
        last = frame.info.sequence;
        ++count;
    }
    EXPECT_EQ(count, 30U);
    EXPECT_GE(viewer.stats().framesLost, missing.size())
        << "what is missing after its first frame is counted";
    stop.notify();
    sending.get();
    const std::string text = told.end();
    const auto named = sequencesNamedLost(text);
    for (const std::uint64_t sequence : missing) {
        EXPECT_EQ(named.count(sequence), 1U) << sequence << "\n" << text;
    }
    for (const auto& departure : sender.takeDepartures()) {
        EXPECT_EQ(departure.find("more frames than"), std::string::npos) << departure;
    }
    EXPECT_EQ(sender.lastEnd().reason.find("more frames than"), std::string::npos) << sender.lastEnd().reason;
    EXPECT_EQ(viewer.status().senderReason.find("more frames than"), std::string::npos)
        << viewer.status().senderReason;
}

VERBCAST_OVER_TRANSPORTS(SlowViewers, transportsForCrowds());
INSTANTIATE_TEST_SUITE_P(Over, SlowViewersOfSharedMemory, ::testing::ValuesIn(transportsThatShareMemory()),
                         transportName);
VERBCAST_OVER_TRANSPORTS(SlowViewersWithSlotsOfTheirOwn, transportsThatWrite());

}  // namespace
}  // namespace verbcast::testing

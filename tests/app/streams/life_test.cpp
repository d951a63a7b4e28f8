// One of the two programs is killed, stopped, interrupted, late or restarted: the other copes and reports it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

// In seconds. The program promises one; on a busy or instrumented machine the message may arrive later.
constexpr double kNoticed = VERBCAST_SANITIZED ? 4 : 1.5;

class LifePrograms : public ProgramTest {
  protected:
    using Program = std::unique_ptr<Verbcast>;

    Program send(Arguments more) const {
        Arguments arguments{"send", "pattern:counter", "--size", "160x90"};
        if (std::find(more.begin(), more.end(), "--fps") == more.end()) {
            arguments.insert(arguments.end(), {"--fps", "100"});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return std::make_unique<Verbcast>(arguments, home_);
    }
    Program view(Arguments more) const {
        Arguments arguments{"view", "--headless"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return std::make_unique<Verbcast>(arguments, home_);
    }
    /// A different moment of the stream in every round, the same in every run.
    std::chrono::milliseconds nextMoment() {
        return std::chrono::milliseconds(std::uniform_int_distribution<>(0, 250)(random_));
    }

    std::mt19937 random_{20};
};

class LifeTest : public LifePrograms, public ::testing::WithParamInterface<std::string> {};

/// The program does not exit within `time`.
void expectAlive(Verbcast& program, std::chrono::milliseconds time) {
    EXPECT_FALSE(program.waitForEnd(time).has_value()) << program.errors();
}

/// Every frame received is one that was sent.
void expectAmong(const std::vector<std::string>& sent, const std::vector<std::string>& received) {
    for (const std::string& line : received) {
        EXPECT_NE(std::find(sent.begin(), sent.end(), line), sent.end()) << line << " was never sent";
    }
}

/// How long after `since` the program prints `text`, in seconds. Output before `mark` does not count.
double secondsUntilSaid(Verbcast& program, const std::string& text, std::size_t mark,
                        TestClock::time_point since) {
    const auto at = program.waitForError(text, mark);
    EXPECT_TRUE(at.has_value()) << "\"" << text << "\" was not said in: " << program.errors().substr(mark);
    return std::chrono::duration<double>(at.value_or(TestClock::time_point::max()) - since).count();
}

TEST_P(LifeTest, ViewerNoticesAKilledSenderAndTakesTheNextOne) {
    const ReservedAddress address(GetParam());
    const Program viewer = view({address.url(), "--stats-json", file("viewer")});
    std::size_t mark = 0;
    double quickest = kPatience.count();
    int kills = 0;
    for (; kills < 2 || (quickest > kNoticed && kills < kTrials); ++kills) {
        SCOPED_TRACE(kills);
        const Program sender = send({"--listen", address.url()});
        ASSERT_TRUE(viewer->waitForError("receiving 160x90", mark)) << viewer->errors();
        expectAlive(*sender, nextMoment());
        mark = viewer->errorMark();
        const auto killed = TestClock::now();
        sender->signal(SIGKILL);
        EXPECT_TRUE(endsWith(*sender, 128 + SIGKILL));
        quickest = std::min(quickest, secondsUntilSaid(*viewer, "signal lost", mark, killed));
        expectAlive(*viewer, 0ms);
    }
    EXPECT_LE(quickest, kNoticed);
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, kInterrupted));
    // It may also have connected to a program that was already dying.
    EXPECT_GE(readJson(file("viewer"))["connections_lost"], kills);
}

TEST_P(LifeTest, SenderNoticesAKilledViewerAndTakesTheNextOne) {
    const Program sender = send({"--listen", listenAddressFor(GetParam()), "--stats-json", file("sender")});
    const std::string address = sender->listenAddress();
    std::size_t mark = 0;
    double quickest = kPatience.count();
    int kills = 0;
    for (; kills < 2 || (quickest > kNoticed && kills < kTrials); ++kills) {
        SCOPED_TRACE(kills);
        const Program viewer = view({address});
        ASSERT_TRUE(sender->waitForError("sending 160x90", mark)) << sender->errors();
        expectAlive(*viewer, nextMoment());
        mark = sender->errorMark();
        const auto killed = TestClock::now();
        viewer->signal(SIGKILL);
        EXPECT_TRUE(endsWith(*viewer, 128 + SIGKILL));
        quickest = std::min(quickest, secondsUntilSaid(*sender, "last viewer left", mark, killed));
        EXPECT_TRUE(sender->waitForError("waiting for a viewer on " + address, mark)) << sender->errors();
    }
    EXPECT_LE(quickest, kNoticed);
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*sender, kInterrupted));
    EXPECT_EQ(readJson(file("sender"))["connections_lost"], kills);
}

TEST_P(LifeTest, LosslessSenderNoticesAKilledViewerToo) {
    const Program sender =
        send({"--listen", listenAddressFor(GetParam()), "--policy", "lossless", "--fps", "max"});
    const std::string address = sender->listenAddress();
    const auto trial = [&] {
        const Program viewer = view({address});
        EXPECT_TRUE(viewer->waitForError("receiving 160x90"));
        expectAlive(*viewer, 50ms);
        const std::size_t mark = sender->errorMark();
        const auto killed = TestClock::now();
        viewer->signal(SIGKILL);
        EXPECT_TRUE(endsWith(*viewer, 128 + SIGKILL));
        return secondsUntilSaid(*sender, "last viewer left", mark, killed);
    };
    EXPECT_LE(quickest(kNoticed, trial), kNoticed);
    const Program next = view({address, "--frames", "20"});
    EXPECT_TRUE(endsWith(*next, 0));
}

TEST_P(LifeTest, OnceEndsWithTheLossOfTheOther) {
    for (const bool killSender : {true, false}) {
        SCOPED_TRACE(killSender ? "sender killed" : "viewer killed");
        const Program sender =
            send({"--once", "--listen", listenAddressFor(GetParam()), "--stats-json", file("stats")});
        const Program viewer = view({"--once", sender->listenAddress(), "--stats-json", file("stats")});
        ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
        ASSERT_TRUE(sender->waitForError("sending 160x90"));
        Verbcast& killed = killSender ? *sender : *viewer;
        Verbcast& left = killSender ? *viewer : *sender;
        killed.signal(SIGKILL);
        EXPECT_TRUE(endsWith(left, kNetwork));
        EXPECT_TRUE(holds(left.errors(), "lost"));
        EXPECT_EQ(readJson(file("stats"))["exit_reason"], "lost");
    }
}

TEST_P(LifeTest, InterruptEndsBothInOrder) {
    for (const bool interruptSender : {true, false}) {
        SCOPED_TRACE(interruptSender ? "sender interrupted" : "viewer interrupted");
        const Program sender = send({"--once", "--listen", listenAddressFor(GetParam()), "--frame-md5",
                                     file("sent"), "--stats-json", file("sender")});
        const Program viewer =
            view({sender->listenAddress(), "--frame-md5", file("received"), "--stats-json", file("viewer")});
        ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
        expectAlive(*viewer, 100ms);
        (interruptSender ? sender : viewer)->signal(SIGINT);
        EXPECT_TRUE(endsWith(*sender, interruptSender ? kInterrupted : 0));
        EXPECT_TRUE(endsWith(*viewer, interruptSender ? 0 : kInterrupted));
        EXPECT_TRUE(holds(sender->errors(), "\nsent "));
        EXPECT_TRUE(holds(viewer->errors(), "\nreceived "));
        EXPECT_EQ(readJson(file("sender"))["exit_reason"], interruptSender ? "interrupted" : "receiver left");
        EXPECT_EQ(readJson(file("viewer"))["exit_reason"], interruptSender ? "end of stream" : "interrupted");
        EXPECT_EQ(readJson(file("sender"))["connections_lost"], 0);
        EXPECT_EQ(readJson(file("viewer"))["connections_lost"], 0);
        const auto sent = md5Lines(file("sent"));
        const auto received = md5Lines(file("received"));
        ASSERT_FALSE(received.empty());
        expectAmong(sent, received);
    }
}

// timeout(1) signals its child and then the whole group.
TEST_P(LifeTest, TwoSignalsAtOnceAreOneInterrupt) {
    const Program sender = send({"--listen", listenAddressFor(GetParam())});
    for (int trial = 0; trial < 2; ++trial) {
        const Program viewer = view({sender->listenAddress(), "--stats-json", file("viewer")});
        ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
        viewer->signal(SIGINT);
        viewer->signal(SIGINT);
        EXPECT_TRUE(endsWith(*viewer, kInterrupted));
        EXPECT_TRUE(holds(viewer->errors(), "\nreceived "));
        EXPECT_EQ(readJson(file("viewer"))["exit_reason"], "interrupted");
        std::filesystem::remove(file("viewer"));
    }
}

TEST_P(LifeTest, StoppedSenderIsLostAndComesBack) {
    const Program sender = send({"--listen", listenAddressFor(GetParam())});
    const Program viewer = view({sender->listenAddress(), "--timeout", "0.9"});
    ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
    const auto trial = [&] {
        const std::size_t before = viewer->errorMark();
        const auto stopped = TestClock::now();
        sender->signal(SIGSTOP);
        const double seconds = secondsUntilSaid(*viewer, "signal lost", before, stopped);
        const std::size_t mark = viewer->errorMark();
        sender->signal(SIGCONT);
        EXPECT_TRUE(viewer->waitForError("receiving 160x90", mark)) << viewer->errors();
        expectAlive(*sender, 0ms);
        return seconds;
    };
    EXPECT_LE(quickest(kNoticed, trial), kNoticed);
}

TEST_P(LifeTest, StoppedViewerIsLostAndComesBack) {
    const Program sender = send({"--listen", listenAddressFor(GetParam()), "--timeout", "0.9"});
    const Program viewer = view({sender->listenAddress()});
    ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
    ASSERT_TRUE(sender->waitForError("sending 160x90"));
    const auto trial = [&] {
        const std::size_t before = sender->errorMark();
        const auto stopped = TestClock::now();
        viewer->signal(SIGSTOP);
        const double seconds = secondsUntilSaid(*sender, "last viewer left", before, stopped);
        const std::size_t senderMark = sender->errorMark();
        const std::size_t viewerMark = viewer->errorMark();
        viewer->signal(SIGCONT);
        EXPECT_TRUE(sender->waitForError("sending 160x90", senderMark)) << sender->errors();
        EXPECT_TRUE(viewer->waitForError("receiving 160x90", viewerMark)) << viewer->errors();
        return seconds;
    };
    EXPECT_LE(quickest(kNoticed, trial), kNoticed);
}

TEST_P(LifeTest, ShortStopLosesNothing) {
    KernelPipe frames;  // the second half comes once both were stopped
    const auto give = [&](int count) {
        for (int frame = 0; frame < count; ++frame) {
            const std::string pixels(std::size_t{16} * 16, static_cast<char>(frame));
            ASSERT_EQ(::write(frames.writing.get(), pixels.data(), pixels.size()), std::ssize(pixels));
        }
    };
    const Program sender = std::make_unique<Verbcast>(
        Arguments{"send", "-", "--size", "16x16", "--format", "gray", "--fps", "100", "--policy", "lossless",
                  "--listen", listenAddressFor(GetParam()), "--frame-md5", file("sent"), "--timeout", "0.9"},
        home_, frames.reading.get());
    give(60);
    const Program viewer =
        view({sender->listenAddress(), "--frame-md5", file("received"), "--timeout", "0.9"});
    ASSERT_TRUE(viewer->waitForError("receiving 16x16"));
    for (Verbcast* program : {sender.get(), viewer.get()}) {
        program->signal(SIGSTOP);
        expectAlive(*program, 200ms);
        program->signal(SIGCONT);
    }
    give(60);
    frames.writing.reset();
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_EQ(frameSums(file("received")).size(), 120U);
    EXPECT_EQ(md5Lines(file("received")), md5Lines(file("sent")));
}

TEST_P(LifeTest, EitherSideMayComeFirst) {
    const ReservedAddress address(GetParam());
    const std::vector<std::pair<Arguments, Arguments>> pairs{
        {{"--frames", "5", "--to", address.url(), "--policy", "lossless"},
         {"--once", "--listen", address.url()}},
        {{"--frames", "5", "--listen", address.url(), "--policy", "lossless"}, {"--once", address.url()}}};
    for (const auto& [forSender, forViewer] : pairs) {
        for (const bool senderFirst : {true, false}) {
            SCOPED_TRACE(forSender[2] + (senderFirst ? ", sender first" : ", viewer first"));
            Program sender = senderFirst ? send(forSender) : nullptr;
            Program viewer = senderFirst ? nullptr : view(forViewer);
            Verbcast& first = senderFirst ? *sender : *viewer;
            ASSERT_TRUE(first.waitForError(address.url())) << first.errors();
            sender = sender ? std::move(sender) : send(forSender);
            viewer = viewer ? std::move(viewer) : view(forViewer);
            EXPECT_TRUE(endsWith(*sender, 0));
            EXPECT_TRUE(endsWith(*viewer, 0));
            EXPECT_TRUE(holds(viewer->errors(), "received 5 frames"));
        }
    }
}

TEST_P(LifeTest, ViewerThatLeavesMayComeBack) {
    const Program sender = send({"--listen", listenAddressFor(GetParam()), "--frame-md5", file("sent")});
    const std::string address = sender->listenAddress();
    for (const std::string name : {"first", "second", "third"}) {
        const Program viewer = view({address, "--frames", "10", "--frame-md5", file(name)});
        EXPECT_TRUE(endsWith(*viewer, 0));
        EXPECT_EQ(md5Lines(file(name)).size(), 10U);
    }
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*sender, kInterrupted));
    const auto sent = md5Lines(file("sent"));
    for (const std::string name : {"first", "second", "third"}) {
        expectAmong(sent, md5Lines(file(name)));
    }
}

TEST_P(LifeTest, TwoViewersSeeTheSameFrames) {
    const Program sender =
        send({"--listen", listenAddressFor(GetParam()), "--policy", "lossless", "--frame-md5", file("sent")});
    const std::string address = sender->listenAddress();
    const Program first = view({address, "--frame-md5", file("first")});
    ASSERT_TRUE(first->waitForError("receiving 160x90")) << first->errors();
    const Program second = view({address, "--frame-md5", file("second")});
    ASSERT_TRUE(second->waitForError("receiving 160x90")) << second->errors();
    expectAlive(*sender, 200ms);
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*first, 0));
    EXPECT_TRUE(endsWith(*second, 0));
    EXPECT_TRUE(endsWith(*sender, kInterrupted));
    const auto sent = md5Lines(file("sent"));
    for (const std::string name : {"first", "second"}) {
        // Each receives every frame from the moment it connected.
        const auto lines = md5Lines(file(name));
        ASSERT_FALSE(lines.empty()) << name;
        EXPECT_NE(std::search(sent.begin(), sent.end(), lines.begin(), lines.end()), sent.end()) << name;
    }
    EXPECT_EQ(md5Lines(file("first")).front(), sent.front());
}

TEST_P(LifeTest, KilledViewerDoesNotDisturbTheOther) {
    const Program sender = send({"--listen", listenAddressFor(GetParam()), "--policy", "lossless"});
    const std::string address = sender->listenAddress();
    const Program staying = view({address, "--frame-md5", file("staying")});
    ASSERT_TRUE(staying->waitForError("receiving 160x90")) << staying->errors();
    const Program leaving = view({address});
    ASSERT_TRUE(leaving->waitForError("receiving 160x90")) << leaving->errors();
    leaving->signal(SIGKILL);
    EXPECT_TRUE(sender->waitForError("is gone: ")) << sender->errors();
    expectAlive(*sender, 200ms);
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*staying, 0));
    EXPECT_GT(md5Lines(file("staying")).size(), 10U);
    EXPECT_EQ(staying->errors().find("lost"), std::string::npos) << staying->errors();
}

/// A transport, and how long it streams before the first look and before the second one.
struct Watch {
    std::string transport;
    std::chrono::milliseconds early, late;
};
void PrintTo(const Watch& watch, std::ostream* out) {
    *out << watch.transport;
}

class MemoryOver : public LifePrograms, public ::testing::WithParamInterface<Watch> {};

TEST_P(MemoryOver, StaysFlat) {
    if (VERBCAST_SANITIZED) {
        GTEST_SKIP() << "sanitizers hold freed memory back: the size of the program says nothing";
    }
    const Program sender = send({"--listen", listenAddressFor(GetParam().transport), "--policy", "lossless",
                                 "--fps", "max", "--stats-json", file("sender")});
    const Program viewer = view({sender->listenAddress()});
    ASSERT_TRUE(viewer->waitForError("receiving 160x90"));
    const std::vector<Verbcast*> programs{sender.get(), viewer.get()};
    expectAlive(*sender, GetParam().early);
    std::vector<std::size_t> early;
    for (const Verbcast* program : programs) {
        early.push_back(residentKilobytes(*program));
    }
    expectAlive(*sender, GetParam().late);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto late = static_cast<double>(residentKilobytes(*programs[i]));
        ASSERT_GT(early[i], 0U);
        EXPECT_LT(late, 1.1 * static_cast<double>(early[i])) << (i == 0 ? "sender" : "viewer");
    }
    sender->signal(SIGINT);
    EXPECT_TRUE(endsWith(*sender, kInterrupted));
    EXPECT_TRUE(endsWith(*viewer, 0));
    // 1000 in ten seconds.
    EXPECT_GT(readJson(file("sender"))["frames_sent"], (GetParam().early + GetParam().late) / 10ms);
}

INSTANTIATE_TEST_SUITE_P(Over, LifeTest, ::testing::ValuesIn(schemesUnderTest()), variantName);

std::vector<Watch> watches(std::chrono::milliseconds early, std::chrono::milliseconds late) {
    std::vector<Watch> list;
    for (const std::string& transport : schemesUnderTest()) {
        list.push_back({transport, early, late});
    }
    return list;
}

std::string watchName(const ::testing::TestParamInfo<Watch>& watch) {
    return watch.param.transport;
}

INSTANTIATE_TEST_SUITE_P(Over, MemoryOver, ::testing::ValuesIn(watches(1s, 2s)), watchName);
INSTANTIATE_TEST_SUITE_P(Thorough, MemoryOver, ::testing::ValuesIn(watches(3s, 7s)), watchName);

}  // namespace
}  // namespace verbcast::testing

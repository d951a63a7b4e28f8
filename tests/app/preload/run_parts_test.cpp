// What `verbcast run` infers about the program that it is loaded into.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "app/preload/drawing_start.h"
#include "app/preload/input_log.h"
#include "app/preload/run_line.h"
#include "app/preload/run_settings.h"
#include "app/preload/sound_line.h"
#include "core/base/os/event.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

TEST(InputLog, APictureShowsWhatWasSentBeforeItWasBegun) {
    InputLog log;
    EXPECT_EQ(log.shownBy(1000), 0U);
    log.sent(3, 10);
    log.sent(5, 20);
    EXPECT_EQ(log.shownBy(9), 0U);
    EXPECT_EQ(log.shownBy(10), 3U);
    EXPECT_EQ(log.shownBy(19), 3U);
    log.sent(6, 30);
    EXPECT_EQ(log.shownBy(100), 6U);
    EXPECT_EQ(log.shownBy(15), 6U) << "it never goes back";
}

TEST(InputLog, IsBoundedAndForgetsNoEvent) {
    InputLog log;
    for (std::uint64_t serial = 1; serial <= 100'000; ++serial) {
        log.sent(serial, static_cast<TimestampNs>(serial));
    }
    EXPECT_EQ(log.shownBy(10), 10U);
    EXPECT_LT(log.shownBy(99'999), 100'000U);
    EXPECT_EQ(log.shownBy(100'000), 100'000U);
}

/// A value for each option that differs from its default. An option that is new needs one.
const std::map<std::string, std::string> kUnusual{
    {"--size", "640x360"},
    {"--audio", "none"},
    {"--fps", "30000/1001"},
    {"--name", "left"},
    {"--policy", "lossless"},
    {"--allow-input", "yes"},
    {"--memory", "device"},
    {"--max-viewers", "7"},
    {"--sync", "hold"},
    {"--multicast", "239.10.0.7:7424?via=udp&ttl=3&rate=2500000000&interface=eth1"},
    {"--changes", "compare"},
    {"--preview", "shm://preview"},
    {"--frames", "12"},
    {"--seconds", "2.5"},
    {"--wait", "3"},
    {"--timeout", "1.5"},
    {"--slots", "5"},
    {"--poll", "yes"},
    {"--frame-md5", "/tmp/md5"},
    {"--verbose", "yes"}};

TEST(RunSettings, KeepEveryOption) {
    RunSettings said;
    OptionList saying;
    addRunOptions(saying, said.options);
    for (const BoundOption& bound : saying) {
        const std::string name = bound.option.name();
        if (name == "--quiet") {
            continue;  // excludes --verbose
        }
        ASSERT_TRUE(kUnusual.contains(name)) << name << " is not tried here";
        bound.set(name, {kUnusual.at(name)});
        EXPECT_NE(bound.text(), bound.defaultText) << name;
    }
    RunSettings heard = runSettingsFromJson(toJson(said));
    OptionList hearing;
    addRunOptions(hearing, heard.options);
    for (const BoundOption& bound : saying) {
        EXPECT_EQ(hearing.find(bound.option.name())->text(), bound.text()) << bound.option.name();
    }
    EXPECT_EQ(heard.options.sender.policy, Policy::Lossless);
}

TEST(RunSettings, KeepThePeerAndWhatTheRunnerSays) {
    RunSettings said;
    SenderOptions& sender = said.options.sender;
    sender.url = parseUrl("tcp://10.0.0.1:7500");
    sender.listen = false;
    sender.spares = {parseUrl("tcp://10.0.1.1:7500")};
    sender.rails = RailMode::Stripe;
    sender.findsRails = true;
    sender.reconnect = false;
    sender.trust.encrypt = true;
    sender.trust.key = NamedKey{"shared", SessionKey::random()};
    sender.trust.grants = kMayView;
    said.numaNode = 1;
    said.runner = "runner";
    said.stats = said.reports = sender.hasSound = true;
    const RunSettings heard = runSettingsFromJson(toJson(said));
    const SenderOptions& there = heard.options.sender;
    EXPECT_EQ(there.url.text(), sender.url.text());
    EXPECT_FALSE(there.listen);
    ASSERT_EQ(there.spares.size(), 1U);
    EXPECT_EQ(there.spares.front().text(), "tcp://10.0.1.1:7500");
    EXPECT_EQ(there.rails, RailMode::Stripe);
    EXPECT_TRUE(there.findsRails);
    EXPECT_FALSE(there.reconnect);
    EXPECT_TRUE(there.trust.encrypt);
    EXPECT_EQ(there.trust.key.value().key.text(), sender.trust.key->key.text());
    EXPECT_EQ(there.trust.grants, kMayView);
    EXPECT_EQ(heard.numaNode, 1);
    EXPECT_EQ(heard.runner, "runner");
    EXPECT_TRUE(heard.stats && heard.reports && there.hasSound);
    EXPECT_EQ(there.policies.at(kSoundTrack), Policy::Latest);
    EXPECT_FALSE(runSettingsFromJson(toJson(RunSettings{})).options.sender.multicast);
}

TEST(RunLine, HearsTheProgramAndHandsOutTheDescriptor) {
    const KernelPipe pipe;
    RunLine line(pipe.writing.get());
    line.hear();
    EXPECT_FALSE(line.loaded() || line.swapped());
    tellRunner(line.name(), RunStatus::Loaded);
    line.hear();
    EXPECT_TRUE(line.loaded() && !line.swapped());
    tellRunner(line.name(), RunStatus::Swapped);
    auto asked =
        std::async(std::launch::async, [&] { return askRunner(line.name(), RunStatus::WantsStats); });
    while (asked.wait_for(0s) != std::future_status::ready) {
        waitReadable({line.descriptor()}, 10ms);
        line.hear();
    }
    EXPECT_TRUE(line.swapped());
    const UniqueFd handed = asked.get();
    ASSERT_TRUE(handed);
    char byte = 'v';
    EXPECT_EQ(::write(handed.get(), &byte, 1), 1);
    EXPECT_EQ(::read(pipe.reading.get(), &byte, 1), 1);
}

TEST(SoundLines, PassSoundOnToAllWhoListen) {
    SoundLines lines;
    RunLine line(-1, [&] { return lines.open(); });
    auto asked =
        std::async(std::launch::async, [&] { return askRunner(line.name(), RunStatus::WantsSound); });
    while (asked.wait_for(0s) != std::future_status::ready) {
        waitReadable({line.descriptor()}, 10ms);
        line.hear();
    }
    const auto first = soundOfLine(asked.get());
    auto second = soundOfLine(lines.open());
    CapturedSound got;
    EXPECT_EQ(first->read(got), Status::TimedOut);
    const SoundFormat format{.rate = 96'000, .channels = 64, .maxSamples = 480};
    const CapturedSound block{
        .samples = std::vector<float>(std::size_t{64} * 480, 0.5F), .at = 123'456'789'012, .capturedAt = 77};
    lines.pass(block, format);
    for (SoundSource* const one : {first.get(), second.get()}) {
        ASSERT_EQ(one->read(got), Status::Ok);
        EXPECT_EQ(one->format(), format);
        EXPECT_EQ(got.samples, block.samples);
        EXPECT_EQ(got.at, block.at);
        EXPECT_EQ(got.capturedAt, 77);
    }
    second.reset();
    lines.pass(block, format);
    EXPECT_EQ(first->read(got), Status::Ok) << "the other has gone";
    for (int unread = 0; unread < 1000; ++unread) {
        lines.pass(block, format);  // waits for nobody
    }
    EXPECT_EQ(first->read(got), Status::Ok);
}

TEST(SoundLines, RefuseWhatIsNoSound) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd other(ends[0]);
    const auto sound = soundOfLine(UniqueFd(ends[1]));
    const std::vector<char> rubbish(100, 'x');
    CapturedSound got;
    for (const std::size_t bytes : {std::size_t{1}, rubbish.size()}) {
        ASSERT_EQ(::send(other.get(), rubbish.data(), bytes, 0), static_cast<ssize_t>(bytes));
        EXPECT_THROW(static_cast<void>(sound->read(got)), Error) << bytes;
    }
}

TEST(RunLine, NobodyThereIsNoFailure) {
    std::string name;
    {
        const RunLine line(-1);
        name = line.name();
    }
    tellRunner(name, RunStatus::Swapped);
    EXPECT_FALSE(askRunner(name, RunStatus::WantsStats));
}

TEST(RunLine, ManyProcessesThatAreLoadedDoNotHideThePicture) {
    RunLine line(-1);
    for (int process = 0; process < 1000; ++process) {
        tellRunner(line.name(), RunStatus::Loaded, {}, true);  // nobody listens yet
    }
    auto told = std::async(std::launch::async, [&] { tellRunner(line.name(), RunStatus::Swapped); });
    while (!line.swapped() && waitReadable({line.descriptor()}, 60s)) {
        line.hear();
    }
    EXPECT_TRUE(line.loaded() && line.swapped());
}

TEST(RunLine, ARunnerThatIsStoppedHoldsNoProgramUp) {
    RunLine line(-1);
    const TimestampNs begun = nowNs();
    for (int second = 0; second < 100; ++second) {
        tellRunner(line.name(), RunStatus::Statistics, "{}", true);
    }
    EXPECT_LT(nowNs() - begun, 30'000'000'000) << "each of 90 was waited for";
    line.hear();
    EXPECT_EQ(line.statistics(), "{}");
}

TEST(RunLine, StatisticsOfManyViewersArriveWholeOrNotAtAll) {
    RunLine line(-1);
    const std::string many(48 << 10, 'm'), tooMany(80 << 10, 't');
    tellRunner(line.name(), RunStatus::Statistics, many);
    line.hear();
    EXPECT_EQ(line.statistics(), many);
    tellRunner(line.name(), RunStatus::Statistics, tooMany);
    line.hear();
    EXPECT_EQ(line.statistics(), many) << "part of a message is none";
}

/// Keeps this thread busy for this long, without waiting.
TimestampNs compute(std::chrono::nanoseconds time) {
    const TimestampNs end = nowNs() + time.count();
    while (nowNs() < end) {
    }
    return nowNs();
}

TEST(DrawingStart, OnDemandIsNow) {
    DrawingStart start;
    EXPECT_EQ(start.at(kDrawsOnDemand * 2), kDrawsOnDemand * 2) << "the first picture";
    start.swapped();
    const TimestampNs later = nowNs() + kDrawsOnDemand * 2;
    EXPECT_EQ(start.at(later), later);
}

TEST(DrawingStart, BeginsAfterTheWaitForItsTurn) {
    DrawingStart start;
    const TimestampNs before = nowNs();
    start.swapped();
    std::this_thread::sleep_for(8ms);
    const TimestampNs woken = nowNs();
    const TimestampNs now = compute(1ms);
    const TimestampNs begun = start.at(now);
    if (now - before < kDrawsOnDemand) {  // otherwise the machine was busy with something else
        EXPECT_GT(begun, woken - 1'000'000);
        EXPECT_LT(begun, now);
    }
}

TEST(DrawingStart, AnotherThreadDrawsFromTheLastSwapOn) {
    DrawingStart start;
    const TimestampNs before = nowNs();
    start.swapped();
    const TimestampNs after = nowNs();
    const TimestampNs begun = std::async(std::launch::async, [&] { return start.at(after); }).get();
    EXPECT_GE(begun, before);
    EXPECT_LE(begun, after);
}

}  // namespace
}  // namespace verbcast::testing

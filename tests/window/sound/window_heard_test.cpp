// What is heard, beside what is seen, when something happens to a stream that plays. Both come from outside
// of the programs: the recording of a sink that plays nowhere, and the screen.
#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <numbers>

#include "tests/support/child_process.h"
#include "tests/window/sound/changing_rate.h"
#include "tests/window/sound/pipewire_window_fixture.h"
#include "tests/window/sound/pitch.h"
#include "tests/window/sound/witness.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;
using Seen = Witness::Seen;
using Heard = Witness::Heard;

constexpr TimestampNs kMillisecond = 1'000'000;
// When the picture of a sound may be seen, from that on. A busy machine shows it late. Loops are longer.
constexpr TimestampNs kEarliest = -100 * kMillisecond, kLatest = 1500 * kMillisecond;
constexpr double kSecondsApart = 0.25;
// Of what a busy machine misses, sound goes forwards by less than that.
constexpr double kSkipped = 2;

// The longest silence after a seek and in a loop: docs/sound.md. A busy machine delays one, but hardly all of
// them.
constexpr double kJump = 0.1;

double secondsBetween(TimestampNs from, TimestampNs to) {
    return static_cast<double>(to - from) * 1e-9;
}

class ThoroughHeardTest : public PipeWireWindowTest {
  protected:
    void SetUp() override {
        PipeWireWindowTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        monitor_ = openMonitor();
        witness_.emplace(*monitor_, x_);
    }
    void TearDown() override {
        if (HasFailure() && witness_) {
            tell();
        }
        PipeWireWindowTest::TearDown();
    }

    std::unique_ptr<Verbcast> sendClip(int clip, const QStringList& more = {},
                                       double seconds = kMaxClipSeconds) const {
        const QString path = file(QString("clip%1.nut").arg(clip));
        makeTimedClip(path.toStdString(), clip, seconds);
        return std::make_unique<Verbcast>(QStringList{"send", path, "--listen", url()} + more, folder());
    }
    ::testing::AssertionResult watchUntil(const std::function<bool()>& done,
                                          std::chrono::nanoseconds patience = Witness::kPatience) {
        return witness_->until(done, patience)
                   ? ::testing::AssertionSuccess()
                   : ::testing::AssertionFailure() << "it never came: " << (window_ ? window_->errors() : "");
    }
    /// Until the screen has shown that time of the clip, and sound of it is heard.
    ::testing::AssertionResult plays(int clip, double seconds) {
        return watchUntil([&] {
            return witness_->sees(clip, seconds) && witness_->hears(clip) && isOfAPicture(lastSound());
        });
    }
    /// Half a second of sound.
    ::testing::AssertionResult soundsAfter(TimestampNs from,
                                           std::chrono::nanoseconds patience = Witness::kPatience) {
        const auto isNew = [&](const Heard& heard) { return heard.at > from && heard.place; };
        return watchUntil(
            [&] {
                return std::ranges::count_if(witness_->heard(), isNew) >= 50 && isOfAPicture(lastSound());
            },
            patience);
    }
    Heard lastSound() const {
        const auto& heard = witness_->heard();
        return *std::find_if(heard.rbegin(), heard.rend(), [](const Heard& each) { return each.place; });
    }

    /// All sound is that of a picture that was on the screen then, and of one place at a time.
    void expectSoundOfItsPictures() const {
        int wrong = 0, unclear = 0;
        for (const Heard& heard : witness_->heard()) {
            unclear = heard.silent() || heard.place ? 0 : unclear + 1;
            EXPECT_LE(unclear, 5) << "a mixture at " << time(heard.at);
            if (heard.place && !isOfAPicture(heard) && ++wrong <= 10) {
                ADD_FAILURE() << time(heard.at) << ": heard " << text(*heard.place);
            }
        }
        EXPECT_EQ(wrong, 0);
    }
    bool isOfAPicture(const Heard& heard) const {
        const std::vector<Seen>& seen = witness_->seen();
        const auto first = std::ranges::lower_bound(seen, heard.at + kEarliest, {}, &Seen::at);
        const auto last = std::ranges::upper_bound(seen, heard.at + kLatest, {}, &Seen::at);
        // What a busy machine shows of a clip has gaps.
        std::optional<Place> before;
        return std::any_of(first, last, [&](const Seen& look) {
            const std::optional<Place> previous = std::exchange(before, look.place);
            const bool follows = previous && !isJump(*previous, look.place);
            const double from = follows ? previous->seconds : look.place.seconds;
            return look.place.clip == heard.place->clip &&
                   heard.place->seconds >= std::min(from, look.place.seconds) - kSecondsApart &&
                   heard.place->seconds <= look.place.seconds + kSecondsApart;
        });
    }
    /// Sound of some place, and the next that is of an earlier place, of another clip or of much later.
    struct Jump {
        Heard before, after;
        double seconds() const { return secondsBetween(before.at, after.at) - 0.01; }  ///< of silence
    };
    static bool isJump(const Place& before, const Place& after) {
        const double forwards = after.seconds - before.seconds;
        return before.clip != after.clip || forwards < -kSecondsApart || forwards > kSkipped;
    }
    std::vector<Jump> jumps() const {
        std::vector<Jump> all;
        std::optional<Heard> last;
        for (const Heard& heard : witness_->heard()) {
            if (!heard.place) {
                continue;
            }
            if (last && isJump(*last->place, *heard.place)) {
                all.push_back({*last, heard});
            }
            last = heard;
        }
        return all;
    }
    double shortestJump() const {
        double shortest = 1e9;
        for (const Jump& jump : jumps()) {
            shortest = std::min(shortest, jump.seconds());
        }
        return shortest;
    }
    /// The longest time without sound between these.
    double longestSilence(TimestampNs from, TimestampNs to) const {
        TimestampNs last = from;
        double longest = 0;
        for (const Heard& heard : witness_->heard()) {
            if (!heard.silent() && heard.at > from && heard.at < to) {
                longest = std::max(longest, secondsBetween(std::exchange(last, heard.at), heard.at));
            }
        }
        return std::max(longest, secondsBetween(last, to));
    }

    /// Stretches of the recording in which sound of clips' loudness has no beginning, end or break, which
    /// fade.
    std::vector<std::span<const Heard>> wholeParts() const {
        constexpr double kLoudness = kClipPeak / std::numbers::sqrt2;
        std::vector<std::span<const Heard>> found;
        std::span<const Heard> rest(witness_->heard());
        while (rest.size() >= kPart + 2) {
            const auto part = rest.first(kPart + 2);
            const bool loud = std::ranges::all_of(
                part, [&](const Heard& heard) { return std::abs(heard.loudness / kLoudness - 1) < 0.02; });
            const bool whole = part.back().first - part.front().first == (kPart + 1) * part.front().samples;
            if (loud && whole) {
                found.push_back(part.subspan(1, kPart));
            }
            rest = rest.subspan(loud && whole ? kPart : 1);
        }
        return found;
    }
    static constexpr std::size_t kPart = 5;  // 50 ms

    /// The sender, for 3 s.
    void stall(const Verbcast& sender) {
        ASSERT_TRUE(plays(0, 1));
        ASSERT_EQ(::kill(static_cast<pid_t>(sender.processId()), SIGSTOP), 0);
        const TimestampNs stopped = nowNs();
        witness_->watch(3s);
        const TimestampNs goesOn = nowNs();
        ASSERT_EQ(::kill(static_cast<pid_t>(sender.processId()), SIGCONT), 0);
        ASSERT_TRUE(plays(0, witness_->seen().back().place.seconds + 1));
        EXPECT_GT(longestSilence(stopped, goesOn), 2);
        expectSoundOfItsPictures();
        EXPECT_TRUE(jumps().empty()) << text(*jumps().front().after.place);
    }

    std::string time(TimestampNs at) const {
        return fmt::format("{:.3f} s", secondsBetween(witness_->heard().front().at, at));
    }
    static std::string text(const Place& place) {
        return fmt::format("{:.3f} s of clip {}", place.seconds, place.clip);
    }
    /// What there was to hear and to see.
    void tell() const {
        auto look = witness_->seen().begin();
        std::optional<Place> seen;
        TimestampNs next = 0;
        for (const Heard& heard : witness_->heard()) {
            if (heard.at < next) {
                continue;
            }
            next = heard.at + 50 * kMillisecond;
            for (seen.reset(); look != witness_->seen().end() && look->at < next; ++look) {
                seen = look->place;
            }
            std::cerr << time(heard.at) << ": heard "
                      << (heard.place      ? text(*heard.place)
                          : heard.silent() ? "nothing"
                                           : "something")
                      << ", seen " << (seen ? text(*seen) : "nothing") << "\n";
        }
    }

    std::unique_ptr<SoundSource> monitor_;
    std::optional<Witness> witness_;
};

TEST_F(ThoroughHeardTest, AStallIsSilentAndThenNewSoundComes) {
    const auto sender = sendClip(0);
    openWindow();
    ASSERT_NO_FATAL_FAILURE(stall(*sender));
}

/// As by default: these tests run with 5 s, for busy machines.
TEST_F(ThoroughHeardTest, SoDoesAStallThatTheViewerTakesForALoss) {
    const auto sender = sendClip(0);
    openWindow({"--timeout", "0.9", "--stats-json", file("stats.json")});
    ASSERT_NO_FATAL_FAILURE(stall(*sender));
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
    EXPECT_GE(readJson(file("stats.json"))["connections_lost"].toInt(), 1);
}

TEST_F(ThoroughHeardTest, AfterASenderThatWasKilledOnlyTheNextOneIsHeard) {
    const auto first = sendClip(0);
    openWindow();
    ASSERT_TRUE(plays(0, 1));
    first->kill();
    const auto second = sendClip(1);
    ASSERT_TRUE(plays(1, 1));
    expectSoundOfItsPictures();
    ASSERT_EQ(jumps().size(), 1U);
    EXPECT_EQ(jumps().front().after.place->clip, 1);
}

TEST_F(ThoroughHeardTest, AfterASeekOnlyTheNewPlaceIsHeard) {
    const auto sender = sendClip(0, {"--control"});
    openWindow();
    ASSERT_TRUE(plays(0, 1));
    sender->write("seek 6\n");
    ASSERT_TRUE(plays(0, 6.5));
    sender->write("seek 1\n");
    ASSERT_TRUE(watchUntil([&] { return !witness_->sees(0, 3); }));
    ASSERT_TRUE(plays(0, 1.5));
    expectSoundOfItsPictures();
    EXPECT_EQ(jumps().size(), 2U);
    EXPECT_LT(shortestJump(), kJump);
}

TEST_F(ThoroughHeardTest, ALoopBeginsWithItsPictures) {
    const auto sender = sendClip(0, {"--loop"}, 2.5);
    openWindow();
    ASSERT_TRUE(watchUntil([&] { return jumps().size() >= 2; }));
    ASSERT_TRUE(plays(0, 0.5));
    expectSoundOfItsPictures();
    EXPECT_LT(shortestJump(), kJump);
}

TEST_F(ThoroughHeardTest, AViewerThatJoinsLateHearsWhatIsShown) {
    const auto sender = sendClip(0, {"--loop"});
    const Verbcast first({"view", "--headless", url()}, folder());
    ASSERT_TRUE(watchUntil([&] { return sender->errors().find("sending ") != std::string::npos; }));
    witness_->watch(1s);
    const TimestampNs joins = nowNs();
    openWindow();
    ASSERT_TRUE(soundsAfter(joins));
    expectSoundOfItsPictures();
}

TEST_F(ThoroughHeardTest, SoundReturnsWithPipeWire) {
    const auto sender = sendClip(0, {"--loop"});
    openWindow();
    ASSERT_TRUE(plays(0, 1));
    daemon_.reset();
    ASSERT_TRUE(watchUntil([&] { return witness_->sees(0, 2); })) << "pictures go on";
    const TimestampNs returns = nowNs();
    // PipeWire 0.3.65 sometimes answers nobody if clients come while it starts: then the next one does.
    int starts = 0;
    ::testing::AssertionResult returned = ::testing::AssertionFailure();
    for (; starts < 4 && !returned; ++starts) {
        daemon_ = std::make_unique<PipeWireDaemon>(folder().toStdString());
        returned = soundsAfter(returns, starts < 3 ? 15s : Witness::kPatience);
        if (!returned) {
            daemon_.reset();
        }
    }
    ASSERT_TRUE(returned);
    expectSoundOfItsPictures();
    const std::string said = window_->errors();
    const std::size_t once = said.find("no sound is heard: PipeWire has ended");
    ASSERT_NE(once, std::string::npos) << said;
    EXPECT_TRUE(starts > 1 || said.find("no sound", once + 1) == std::string::npos) << said;
}

TEST_F(ThoroughHeardTest, ADeviceThatChangesItsRateIsFollowed) {
    const auto sender = sendClip(0, {"--loop"});
    openWindow();
    ASSERT_TRUE(plays(0, 1));
    ASSERT_EQ(witness_->rate(), 48'000U);
    EXPECT_EQ(ChildProcess({"pw-metadata", "-n", "settings", "0", "clock.force-rate", "44100"}).waitForEnd(),
              0);
    ASSERT_TRUE(watchUntil([&] { return witness_->rate() == 44'100; }));
    ASSERT_TRUE(soundsAfter(nowNs()));
    expectSoundOfItsPictures();
    EXPECT_EQ(window_->errors().find("no sound"), std::string::npos) << window_->errors();
}

TEST_F(ThoroughHeardTest, AStreamThatChangesItsRateKeepsItsPitch) {
    constexpr std::ptrdiff_t kEnough = 10;
    const auto partsAfter = [&](TimestampNs from) {
        return std::ranges::count_if(wholeParts(), [&](const auto& part) { return part.front().at > from; });
    };
    ChangingRate sender(url().toStdString());
    openWindow();
    ASSERT_TRUE(watchUntil([&] { return partsAfter(0) >= kEnough; }));
    sender.change();
    const TimestampNs changed = nowNs() + 500 * kMillisecond;
    ASSERT_TRUE(watchUntil([&] { return partsAfter(changed) >= kEnough; }));
    for (const auto& part : wholeParts()) {
        const auto samples = witness_->recording().subspan(part.front().first, kPart * part.front().samples);
        const std::optional<double> pitch = pitchOf(samples, witness_->rate());
        ASSERT_TRUE(pitch) << time(part.front().at);
        EXPECT_NEAR(*pitch, ChangingRate::kPitch, 0.006 * ChangingRate::kPitch) << time(part.front().at);
        EXPECT_LT(noiseBeside(*pitch, samples, witness_->rate()), -60) << time(part.front().at);
    }
}

}  // namespace
}  // namespace verbcast::testing

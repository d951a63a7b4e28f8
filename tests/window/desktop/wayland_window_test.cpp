// The viewer's window on real Wayland compositors, and the times they report for its pictures. Verified
// against libwayland's log of the compositor's messages (WAYLAND_DEBUG).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <regex>

#include "core/base/os/clock.h"
#include "core/session/messages/frame_lock.h"
#include "tests/support/exit_codes.h"
#include "tests/support/required_package.h"
#include "tests/support/verbcast_program.h"
#include "tests/window/desktop/wayland_desktop.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kFrames = 60;

struct Told {
    double at = 0;             // in microseconds, on the compositor's clock
    double refresh = 0;        // in microseconds; 0: not reported
    std::uint32_t logged = 0;  // in microseconds of CLOCK_REALTIME, truncated
};

/// The answers to wp_presentation.feedback from libwayland's log, in order.
struct Witness {
    explicit Witness(const std::string& log) {
        static const std::regex kPresented(
            R"(\[ *(\d+)\.(\d+)\] .*wp_presentation_feedback@\d+\.presented\((\d+), (\d+), (\d+), (\d+), )");
        static const std::regex kClock(R"(wp_presentation@\d+\.clock_id\((\d+)\))");
        for (std::sregex_iterator each(log.begin(), log.end(), kPresented), end; each != end; ++each) {
            const std::smatch& words = *each;
            told.push_back(
                {.at = std::stod(words[4]) * 1e6 + std::stod(words[5]) / 1e3,
                 .refresh = std::stod(words[6]) / 1e3,
                 .logged = static_cast<std::uint32_t>(std::stoul(words[1]) * 1000 + std::stoul(words[2]))});
        }
        for (auto at = log.find(".discarded()"); at != std::string::npos;
             at = log.find(".discarded()", at + 1)) {
            ++discarded;
        }
        if (std::smatch words; std::regex_search(log, words, kClock)) {
            clock = static_cast<clockid_t>(std::stoi(words[1]));
        }
    }
    std::vector<Told> told;
    int discarded = 0;
    clockid_t clock = CLOCK_MONOTONIC;
};

double microsecondsOf(clockid_t clock) {
    timespec time{};
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

bool looksLike(std::uint32_t pixel, std::uint32_t colour) {
    constexpr int kTolerance = 8;
    for (const unsigned shift : {0U, 8U, 16U}) {
        const int apart = static_cast<int>(pixel >> shift & 0xFF) - static_cast<int>(colour >> shift & 0xFF);
        if (std::abs(apart) > kTolerance) {
            return false;
        }
    }
    return true;
}

/// Whether a row in the upper part shows the SMPTE RP 219 colour bars in order.
bool showsBars(const Picture& screen) {
    std::size_t found = 0;
    constexpr std::uint32_t kBars[] = {0xBFBF00, 0x00BFBF, 0x00BF00, 0xBF00BF, 0xBF0000, 0x0000BF};
    for (int x = 0; x < screen.width && found < std::size(kBars); ++x) {
        found += looksLike(screen.at(x, screen.height / 3), kBars[found]) ? 1 : 0;
    }
    return found == std::size(kBars);
}

class WaylandWindow : public ProgramTest, public ::testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        const bool sway = GetParam() == "sway";
        const std::string missing = sway ? SwayDesktop::missingPrograms() : WestonDesktop::missingPrograms();
        if (!missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE()
                << "a window on " << GetParam() << " needs" << missing << ": scripts/test installs them";
        }
        if (!desktop_ && sway) {
            desktop_ = std::make_unique<SwayDesktop>();
        } else if (!desktop_) {
            desktop_ = std::make_unique<WestonDesktop>();
        }
    }
    void TearDown() override {
        viewer_.reset();
        sender_.reset();
        ProgramTest::TearDown();
    }
    static void TearDownTestSuite() { desktop_.reset(); }

    static std::string url() { return fmt::format("shm://wayland-test-{}", ::getpid()); }

    void send(const std::string& pattern, const Arguments& more = {}) {
        sender_ = std::make_unique<Verbcast>(
            Arguments{"send", "pattern:" + pattern, "--size", "640x480", "--fps", "30", "--listen", url()} +
                more,
            home_);
        sender_->listenAddress();
    }
    void view(const Arguments& more) {
        viewer_ =
            std::make_unique<Verbcast>(Arguments{"view", url(), "--stats-json", file("stats")} + more, home_);
    }
    /// Each screenshot waits for the compositor; the limit only bounds how long a failure takes.
    bool eventuallyShowsBars() {
        const auto limit = TestClock::now() + kPatience;
        while (!showsBars(desktop_->screenshot())) {
            if (TestClock::now() > limit || !viewer_->running()) {
                return false;
            }
        }
        return true;
    }

    /// One for all tests of a compositor, each of which takes its window away.
    static inline std::unique_ptr<WaylandDesktop> desktop_;
    std::unique_ptr<Verbcast> sender_, viewer_;
};

TEST_P(WaylandWindow, ShowsItsStreamAndTakesKeys) {
    send("bars");
    view({"--fullscreen"});
    ASSERT_TRUE(eventuallyShowsBars()) << viewer_->errors() << desktop_->said();
    if (!desktop_->key("q")) {
        viewer_->signal(SIGINT);
        EXPECT_TRUE(endsWith(*viewer_, 130));
        return;
    }
    const auto limit = TestClock::now() + kPatience;
    while (viewer_->running() && TestClock::now() < limit) {
        desktop_->key("q");
    }
    EXPECT_TRUE(endsWith(*viewer_, 0));
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "closed");
}

TEST_P(WaylandWindow, EndsWhenItIsClosed) {
    send("bars");
    view({});
    ASSERT_TRUE(eventuallyShowsBars()) << viewer_->errors() << desktop_->said();
    if (!desktop_->closeWindow()) {
        viewer_->signal(SIGINT);
        EXPECT_TRUE(endsWith(*viewer_, 130)) << GetParam() << " has no command that closes a window";
        return;
    }
    EXPECT_TRUE(endsWith(*viewer_, 0));
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "closed");
}

/// sway without a monitor (1.7) does not answer: then only the swap time is known.
TEST_P(WaylandWindow, TellsWhenTheCompositorHasShownEachFrame) {
    ::setenv("WAYLAND_DEBUG", "1", 1);
    send("counter");
    view({"--fullscreen", "--frames", std::to_string(kFrames)});
    const bool ended = endsWith(*viewer_, 0);
    ::unsetenv("WAYLAND_DEBUG");
    ASSERT_TRUE(ended) << desktop_->said();
    const double toRealTime = microsecondsOf(CLOCK_REALTIME) - microsecondsOf(CLOCK_MONOTONIC);
    const Witness witness(viewer_->errors());
    const auto json = readJson(file("stats"));
    const auto& window = json["window"];
    EXPECT_GT(json["frames_shown"], 0);
    if (witness.told.empty()) {
        EXPECT_EQ(window["shown_by"], "the swap (not told by the display)");
        EXPECT_EQ(window["reason"], "the compositor does not answer wp_presentation.feedback");
        EXPECT_EQ(window["pictures_shown"], 0);
        return;
    }
    EXPECT_EQ(window["shown_by"], "the display") << window;
    EXPECT_EQ(window["reason"], "");
    // The program ends with the last frame; answers for more may have been in flight.
    const auto pictures = window["pictures_shown"].get<std::size_t>();
    ASSERT_GT(pictures, 2U);
    ASSERT_GE(witness.told.size(), pictures);
    EXPECT_LE(window["pictures_not_shown"].get<int>(), witness.discarded);
    EXPECT_LE(json["frames_shown"].get<std::size_t>(), pictures) << "each frame is in one";

    double longest = 0;
    for (std::size_t i = 0; i < witness.told.size(); ++i) {
        const Told& told = witness.told[i];
        const double onRealTime =
            told.at + microsecondsOf(CLOCK_MONOTONIC) - microsecondsOf(witness.clock) + toRealTime;
        const auto ahead = static_cast<std::int32_t>(
            static_cast<std::uint32_t>(static_cast<std::uint64_t>(onRealTime)) - told.logged);
        EXPECT_LT(ahead, 1000) << "us: it was told before it was shown";
        if (i == 0) {
            continue;
        }
        const double apart = told.at - witness.told[i - 1].at;
        EXPECT_GT(apart, 0) << i;
        if (i < pictures) {
            longest = std::max(longest, apart);
        }
    }
    EXPECT_EQ(window["interval_us"]["count"], pictures - 1);
    EXPECT_NEAR(window["interval_us"]["max"].get<double>(), longest, longest / 32 + 200);
    EXPECT_GT(window["wait_us"]["p50"].get<double>(), 0);
}

TEST_P(WaylandWindow, TellsTheOtherDisplaysOfItsTimes) {
    send("counter", {"--sync", "go", "--stats-json", file("sender")});
    view({"--frames", std::to_string(kFrames)});
    ASSERT_TRUE(endsWith(*viewer_, 0)) << desktop_->said();
    sender_->signal(SIGINT);
    ASSERT_TRUE(endsWith(*sender_, 130));
    const auto frameLock = readJson(file("sender"))["together"];
    ASSERT_EQ(frameLock["displays"].size(), 1U) << frameLock;
    const auto& display = frameLock["displays"][0];
    const std::string by = GetParam() == "weston" ? "the display" : "the swap (not told by the display)";
    EXPECT_EQ(display["shown_by"], by);
    EXPECT_GT(display["frames_shown"].get<int>() + display["frames_late"].get<int>(), 0);
    EXPECT_EQ(readJson(file("stats"))["together"]["own"]["shown_by"], by);
}

std::string compositorName(const ::testing::TestParamInfo<std::string>& tested) {
    return tested.param;
}

// Apart, so that each compositor's tests follow each other.
INSTANTIATE_TEST_SUITE_P(Sway, WaylandWindow, ::testing::Values("sway"), compositorName);
INSTANTIATE_TEST_SUITE_P(Weston, WaylandWindow, ::testing::Values("weston"), compositorName);

}  // namespace
}  // namespace verbcast::testing

// The screen of a real Wayland compositor through its ScreenCast portal, compared pixel by pixel with grim.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "capture/screen/open_screen.h"
#include "tests/capture/capture_next.h"
#include "tests/capture/screen/wayland_pointer.h"
#include "tests/capture/screen/wayland_session.h"
#include "tests/support/changes_mirror.h"
#include "tests/support/required_package.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

constexpr int kScreenWidth = WaylandSession::kWidth, kScreenHeight = WaylandSession::kHeight;

/// Rotated as the user sees it.
Picture turned(const Picture& picture, int degreesClockwise) {
    Picture result = picture;
    for (int turns = degreesClockwise / 90; turns > 0; --turns) {
        Picture next{result.height, result.width, std::vector<std::uint32_t>(result.pixels.size())};
        for (int y = 0; y < result.height; ++y) {
            for (int x = 0; x < result.width; ++x) {
                next.at(result.height - 1 - y, x) = result.at(x, y);
            }
        }
        result = next;
    }
    return result;
}

/// What is shown until a picture has been loaded.
bool isOfOneColour(const Picture& picture) {
    return std::count(picture.pixels.begin(), picture.pixels.end(), picture.pixels.front()) ==
           static_cast<std::ptrdiff_t>(picture.pixels.size());
}

Picture seen(const CapturedFrame& frame) {
    return turned(pictureOf(frame), frame.format.rotation);
}

class WaylandScreenTest : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (!portalSupport().compiledIn) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "the ScreenCast portal is " << portalSupport().detail;
        }
        if (const std::string missing = WaylandSession::missingPrograms(); !missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE()
                << "a Wayland session needs" << missing << ": scripts/test installs them";
        }
    }

    void start(const WaylandOptions& options = {}) { session_ = std::make_unique<WaylandSession>(options); }

    std::unique_ptr<FrameSource> open(const std::string& what = "") {
        SourceOptions options;
        options.slots = 3;
        return openScreen(options, what);
    }

    CapturedFrame take(FrameSource& source) {
        CapturedFrame frame;
        EXPECT_EQ(captureNext(source, frame, never_), Status::Ok);
        EXPECT_EQ(formatProblem(frame.format), std::nullopt);
        return frame;
    }

    /// Changes what the screen shows and captures frames until one equals grim's picture.
    ::testing::AssertionResult showsWhatGrimSees(FrameSource& source) {
        noise_ = noisePicture(kScreenWidth, kScreenHeight, ++pictures_);
        session_->showPicture(noise_);
        return becomes(source, [](const CapturedFrame&) { return true; });
    }

    /// Captures frames until one equals grim's picture and passes. The desktop draws asynchronously, and a
    /// picture is lost if its portal renegotiates the format meanwhile: then the same one is shown again.
    template <typename Passes>
    ::testing::AssertionResult becomes(FrameSource& source, Passes&& passes) {
        const auto deadline = TestClock::now() + kPatience;
        for (auto again = TestClock::now() + std::chrono::seconds(2);;) {
            const CapturedFrame frame = take(source);
            const Picture got = seen(frame);
            const Picture expected = session_->grim();
            if (got == expected && !isOfOneColour(got) && passes(frame)) {
                return ::testing::AssertionSuccess();
            }
            if (TestClock::now() > deadline) {
                return ::testing::AssertionFailure() << difference(got, expected) << "\n" << session_->said();
            }
            if (TestClock::now() > again) {
                session_->showPicture(noise_);
                again = TestClock::now() + std::chrono::seconds(2);
            }
        }
    }

    /// The program exits by itself with the code and prints these.
    void expectRefused(const Arguments& arguments, int code, const std::vector<std::string>& says) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, code));
        for (const std::string& part : says) {
            EXPECT_TRUE(holds(program.errors(), part));
        }
    }

    std::unique_ptr<WaylandSession> session_;
    Picture noise_;  // the last one shown
    std::uint32_t pictures_ = 0;
    Event never_;
};

TEST_F(WaylandScreenTest, EqualsGrimAndChangesWithTheScreen) {
    start();
    const auto source = open();
    EXPECT_EQ(source->describe(), "screen of the desktop (ScreenCast portal)");
    EXPECT_EQ(source->notes(), std::vector<std::string>());
    EXPECT_EQ(source->format().pixelFormat, PixelFormat::bgra);
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(showsWhatGrimSees(*source));
    }
    ASSERT_TRUE(becomes(*source, [&](const CapturedFrame& frame) { return seen(frame) == noise_; }));
    // Each picture was copied once, from the desktop's memory.
    EXPECT_EQ(source->counters().pixelCopies, source->counters().frames);
}

TEST_F(WaylandScreenTest, PointerIsInThePicture) {
    start();
    const auto source = open();
    ASSERT_TRUE(showsWhatGrimSees(*source));
    WaylandPointer pointer;
    for (const auto& [x, y] : {std::pair{200U, 100U}, {634U, 470U}}) {
        pointer.move(x, y, kScreenWidth, kScreenHeight);
        ASSERT_TRUE(becomes(*source, [&](const CapturedFrame& frame) {
            const Picture picture = seen(frame);
            return picture != noise_ && picture.at(0, 0) == noise_.at(0, 0);
        })) << "there is no pointer";
    }
}

TEST_F(WaylandScreenTest, TellsWhatTheDesktopSaysHasChanged) {
    start();
    const auto source = open();
    ChangesMirror mirror;
    const auto follow = [&](const CapturedFrame& frame) {
        EXPECT_TRUE(mirror.follow(frame.format, frame.lease.data(), frame.changed));
    };
    ASSERT_TRUE(showsWhatGrimSees(*source));
    ASSERT_TRUE(becomes(*source, [&](const CapturedFrame& frame) {
        return seen(frame) == noise_ &&
               mirror.follow(frame.format, frame.lease.data(), PictureChanges::all());
    }));
    WaylandPointer pointer;
    std::uint64_t small = 0, still = 0;
    for (unsigned step = 0; step < 12; ++step) {
        pointer.move(100 + 30 * step, 60 + 25 * step, kScreenWidth, kScreenHeight);
        const CapturedFrame frame = take(*source);
        follow(frame);
        std::uint64_t pixels = 0;
        for (const FrameRect& rect : frame.changed.rects()) {
            pixels += std::uint64_t{rect.width} * rect.height;
        }
        still += frame.changed.isNone() ? 1 : 0;
        small += !frame.changed.isAll() && pixels > 0 && pixels * 4 < kScreenWidth * kScreenHeight ? 1 : 0;
    }
    EXPECT_GE(small, 6U) << "a pointer is a small part of the screen; " << still << " frames were still";
    session_->command("output HEADLESS-1 transform 90");
    session_->showPicture(noise_);
    for (bool turned = false; !turned;) {
        const CapturedFrame frame = take(*source);
        follow(frame);
        turned = frame.format.rotation != 0;
        EXPECT_TRUE(frame.changed.isAll() || !turned) << "whose places would be others";
    }
}

TEST_F(WaylandScreenTest, StillScreenGivesTheSamePictureOnceASecond) {
    start();
    const auto source = open();
    ASSERT_TRUE(showsWhatGrimSees(*source));
    ASSERT_TRUE(becomes(*source, [&](const CapturedFrame& frame) { return seen(frame) == noise_; }));
    const CapturedFrame first = take(*source);
    const CapturedFrame second = take(*source);
    EXPECT_EQ(seen(first), seen(second));
    EXPECT_GE(second.pts - first.pts, 900'000);
    const Event cancel;
    cancel.notify();
    CapturedFrame frame;
    EXPECT_EQ(source->capture(frame, cancel), Status::Cancelled);
    EXPECT_FALSE(frame.lease);
}

TEST_F(WaylandScreenTest, NewSizeAndTurnedMonitorGoOn) {
    start();
    const auto source = open("portal=monitor");
    ASSERT_TRUE(showsWhatGrimSees(*source));
    session_->command("output HEADLESS-1 mode 801x607");
    ASSERT_TRUE(becomes(*source, [](const CapturedFrame& frame) {
        return frame.format.width == 801 && frame.format.height == 607;
    }));
    session_->command("output HEADLESS-1 transform 90");
    ASSERT_TRUE(becomes(*source, [](const CapturedFrame& frame) { return frame.format.rotation != 0; }));
}

TEST_F(WaylandScreenTest, PersonIsAskedOnceUnlessWanted) {
    TemporaryFolder answers;
    const std::string asked = answers.file("asked");
    start({.chooser = "echo >> " + asked + "; echo HEADLESS-1"});
    const auto timesAsked = [&] {
        std::ifstream file(asked);
        return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    };
    open();
    EXPECT_EQ(timesAsked(), 1);
    open();
    open("portal");
    EXPECT_EQ(timesAsked(), 1);
    open("portal=ask");
    EXPECT_EQ(timesAsked(), 2);
    open();
    EXPECT_EQ(timesAsked(), 2);
}

TEST_F(WaylandScreenTest, CompositorThatEndsIsTheEnd) {
    start();
    const auto source = open();
    ASSERT_TRUE(showsWhatGrimSees(*source));
    session_->endCompositor();
    CapturedFrame frame;
    Status status = Status::Ok;
    while (status == Status::Ok) {
        status = captureNext(*source, frame, never_);
    }
    EXPECT_EQ(status, Status::Closed);
    EXPECT_EQ(source->capture(frame, never_), Status::Closed);
    ASSERT_EQ(source->notes().size(), 1U);
    EXPECT_TRUE(holds(source->notes().front(), "the desktop has stopped the screen cast"));
}

TEST_F(WaylandScreenTest, ProgramSendsIt) {
    start();
    const std::string url = fmt::format("shm://wayland-test-{}", ::getpid());
    Verbcast sender({"send", "screen", "--policy", "lossless", "--listen", url, "--frames", "3", "--once",
                     "--frame-md5", file("sent.md5")},
                    home_);
    sender.listenAddress();
    Verbcast viewer({"view", "--headless", url, "--frame-md5", file("got.md5")}, home_);
    ASSERT_TRUE(sender.waitForError("sending "));
    session_->showPicture(noisePicture(kScreenWidth, kScreenHeight, 1));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(viewer.errors(), "640x480 bgra"));
    EXPECT_EQ(md5Lines(file("got.md5")), md5Lines(file("sent.md5")));
    EXPECT_EQ(md5Lines(file("got.md5")).size(), 3U);
    expectRefused({"send", "screen", "--allow-input"}, 8, {"takes no input", "X11 session"});
    expectRefused({"send", "screen:portal=window"}, 2, {"offers no window", "screen:portal=monitor"});
    expectRefused({"send", "screen:portal=all"}, 2, {"screen:portal=all", "screen:portal=ask"});
    expectRefused({"send", "screen:monitor=HDMI-1"}, 8, {"Wayland", "screen:portal"});
    expectRefused({"send", "screen", "--size", "64x64"}, 2, {"own size"});
}

TEST_F(WaylandScreenTest, ViewersOverTheNetworkGetEveryPictureFromItsChanges) {
    start();
    Verbcast sender(
        {"send", "screen", "--listen", "tcp://127.0.0.1:0", "--frames", "40", "--once", "--changes", "source",
         "--policy", "lossless", "--frame-md5", file("sent.md5"), "--stats-json", file("sent.json")},
        home_);
    const std::string url = sender.listenAddress();
    Verbcast viewer({"view", "--headless", url, "--frame-md5", file("got.md5")}, home_);
    ASSERT_TRUE(sender.waitForError("sending "));
    session_->showPicture(noisePicture(kScreenWidth, kScreenHeight, 1));
    WaylandPointer pointer;
    for (unsigned step = 0; sender.running(); ++step) {
        pointer.move(200 + step % 40, 100 + step % 30, kScreenWidth, kScreenHeight);
    }
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_EQ(md5Lines(file("sent.md5")).size(), 40U);
    EXPECT_EQ(md5Lines(file("got.md5")), md5Lines(file("sent.md5")));
    const nlohmann::json stats = readJson(file("sent.json"));
    EXPECT_LT(stats.at("bytes_moved").get<double>(), 0.7 * stats.at("bytes").get<double>());
}

TEST_F(WaylandScreenTest, DeclinedDialogIsToldWithItsCode) {
    start({.chooser = "true"});
    expectRefused({"send", "screen"}, 8, {"declined", "allow a screen"});
}

TEST_F(WaylandScreenTest, InterruptEndsTheWaitForTheDialog) {
    // A user who does not decide until the program has ended.
    const std::string thinking = home_.path() + "/thinking";
    std::ofstream(thinking).close();
    start({.chooser = "while test -e " + thinking + "; do sleep 0.1; done"});
    Verbcast program({"send", "screen"}, home_);
    ASSERT_TRUE(program.waitForError("answer its dialog"));
    program.signal(SIGINT);
    EXPECT_TRUE(endsWith(program, 130));
    std::filesystem::remove(thinking);
}

TEST_F(WaylandScreenTest, SessionWithoutPortalOrBusIsTold) {
    start({.chooser = "", .portal = false});
    expectRefused({"send", "screen"}, 8, {"no ScreenCast portal", "not provided", "-wlr)", "screen:x11"});
    ::setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1);
    expectRefused({"send", "screen"}, 8, {"D-Bus does not answer", "desktop's own session"});
}

TEST(ScreenWithoutPortal, IsToldWithTheRemedy) {
    if (portalSupport().compiledIn) {
        GTEST_SKIP() << "this build has it";
    }
    ::unsetenv("DISPLAY");
    ::setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    SourceOptions options;
    try {
        openScreen(options, "");
        ADD_FAILURE() << "taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Display);
        EXPECT_TRUE(holds(error.what(), "ScreenCast portal"));
        EXPECT_TRUE(holds(error.remedy(), "libpipewire-0.3-dev"));
    }
}

}  // namespace
}  // namespace verbcast::testing

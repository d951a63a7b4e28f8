// The screen of a real X server, compared pixel by pixel with xwd, including the pointer and changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>

#include "capture/screen/monitors.h"
#include "capture/screen/open_screen.h"
#include "capture/screen/screen_source.h"
#include "tests/capture/capture_next.h"
#include "tests/support/changes_mirror.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;
constexpr int kWidth = 640, kHeight = 480;
constexpr const char* kScreen = "640x480x24";

std::unique_ptr<ScreenSource> openScreen(const std::string& what, ReadPath best = ReadPath::Slots,
                                         std::optional<Rational> rate = std::nullopt) {
    SourceOptions options;
    options.frameRate = rate;
    return std::make_unique<ScreenSource>(options, what, best);
}

class ScreenTest : public ::testing::Test {
  protected:
    explicit ScreenTest(const std::string& screen = kScreen, const std::vector<std::string>& more = {})
        : server_(screen, more) {
        client_.movePointer(kWidth - 1, kHeight - 1);  // outside all partial captures
        client_.setPointerShape(kArrow);
    }

    static constexpr std::uint16_t kArrow = 68, kCross = 30;

    CapturedFrame take(ScreenSource& source) {
        CapturedFrame frame;
        EXPECT_EQ(captureNext(source, frame, never_), Status::Ok);
        return frame;
    }

    /// Two overlapping windows, and a third that extends beyond the screen.
    void drawWindows() {
        const xcb_window_t noise = client_.showWindow({40, 30, 301, 203}, 0);
        client_.draw(noise, noisePicture(301, 203, 1));
        client_.showWindow({200, 100, 220, 250}, 0x123456);
        client_.showWindow({-50, 400, 100, 200}, 0xFEDCBA);
    }

    XServer server_;
    XClient client_;
    Event never_;
};

class ScreenOver : public ScreenTest, public ::testing::WithParamInterface<ReadPath> {};

TEST_P(ScreenOver, EqualsXwdAndThePointer) {
    drawWindows();
    client_.movePointer(205, 110);
    const auto source = openScreen("", GetParam());
    EXPECT_EQ(source->path(), GetParam());
    EXPECT_EQ(source->notes().empty(), GetParam() == ReadPath::Slots);
    for (int round = 0; round < 3; ++round) {
        const CapturedFrame frame = take(*source);
        EXPECT_EQ(frame.format.pixelFormat, PixelFormat::bgra);
        EXPECT_EQ(formatProblem(frame.format), std::nullopt);
        EXPECT_EQ(difference(pictureOf(frame), withPointer(server_.xwd(), client_.pointer())), "");
        client_.showWindow({10 * round, 300, 50, 50}, 0x00FF00 >> round);
    }
    EXPECT_EQ(source->counters().frames, 3U);
    EXPECT_EQ(source->counters().pixelCopies, GetParam() == ReadPath::Slots ? 0U : 3U);
}

INSTANTIATE_TEST_SUITE_P(Path, ScreenOver,
                         ::testing::Values(ReadPath::Slots, ReadPath::Segment, ReadPath::Wire),
                         [](const ::testing::TestParamInfo<ReadPath>& path) {
                             return path.param == ReadPath::Slots     ? "Slots"
                                    : path.param == ReadPath::Segment ? "Segment"
                                                                      : "Wire";
                         });

TEST_P(ScreenOver, AWindowMayGrowByAFewBytes) {
    const xcb_window_t window = client_.showWindow({0, 0, 300, 200}, 1);
    const auto source = openScreen("window=" + std::to_string(window), GetParam());
    take(*source);
    client_.moveWindow(window, {0, 0, 301, 200});  // still within the last page
    CapturedFrame frame = take(*source);
    while (frame.format.width != 301) {
        frame = take(*source);
    }
    EXPECT_EQ(pictureOf(frame).at(300, 199), 1U);
}

TEST_F(ScreenTest, NothingToSeeIsNoReasonToStay) {
    const xcb_window_t window = client_.showWindow({0, 0, 50, 50}, 7);
    const auto source = openScreen("window=" + std::to_string(window));
    take(*source);
    client_.hide(window);
    Status status = Status::Ok;
    for (CapturedFrame frame; status == Status::Ok;) {
        status = source->capture(frame, never_);
    }
    EXPECT_EQ(status, Status::TimedOut);
}

class DeepScreenTest : public ScreenTest {
  protected:
    DeepScreenTest() : ScreenTest("640x480x30") {}
};

TEST_F(DeepScreenTest, TenBitsAreSentAsTheyAre) {
    client_.showWindow({10, 10, 300, 200}, 0x2AA55133);
    client_.showWindow({100, 100, 300, 200}, 0x3FF00001);
    const auto source = openScreen("rect=400x320+0+0");
    const CapturedFrame frame = take(*source);
    EXPECT_EQ(frame.format.pixelFormat, PixelFormat::x2rgb10le);
    EXPECT_EQ(difference(pictureOf(frame), server_.xwd().part({0, 0, 400, 320})), "");
    EXPECT_EQ(pictureOf(frame).at(15, 15), 0x2AA55133U);
}

TEST_F(ScreenTest, PartIsThatPart) {
    drawWindows();
    client_.movePointer(150, 110);
    const Rectangle part{101, 77, 123, 45};
    const auto source = openScreen("rect=123x45+101+77");
    EXPECT_EQ(difference(pictureOf(take(*source)), withPointer(server_.xwd(), client_.pointer()).part(part)),
              "");
}

TEST_F(ScreenTest, PointerIsDrawnWhereItReachesIntoThePart) {
    drawWindows();
    client_.setPointerShape(kCross);
    const auto source = openScreen("rect=100x100+100+50");
    for (const auto& [x, y] : {std::pair{100, 50}, {97, 100}, {203, 152}, {199, 149}, {150, 100}}) {
        client_.movePointer(x, y);
        const Picture expected = withPointer(server_.xwd(), client_.pointer()).part({100, 50, 100, 100});
        EXPECT_EQ(difference(pictureOf(take(*source)), expected), "") << x << ", " << y;
    }
}

TEST_F(ScreenTest, MonitorIsItsPart) {
    drawWindows();
    server_.addMonitor("WALL-2", {160, 40, 320, 240});
    const auto source = openScreen("monitor=WALL-2");
    EXPECT_EQ(difference(pictureOf(take(*source)), server_.xwd().part({160, 40, 320, 240})), "");
    const std::vector<Monitor> monitors = monitorsOf(client_.display());
    EXPECT_TRUE(std::any_of(monitors.begin(), monitors.end(), [](const Monitor& monitor) {
        return monitor.name == "WALL-2" && monitor.area == Rectangle{160, 40, 320, 240};
    }));
}

TEST_F(ScreenTest, WindowIsFollowed) {
    const Picture noise = noisePicture(160, 120, 5);
    const xcb_window_t window = client_.showWindow({100, 90, 160, 120}, 0x445566);
    client_.draw(window, noise);
    const auto source = openScreen("window=" + std::to_string(window));
    EXPECT_EQ(difference(pictureOf(take(*source)), noise), "");

    client_.moveWindow(window, {300, 200, 200, 150});
    client_.fill(window, {0, 0, 200, 150}, 0x00AA00);
    client_.fill(window, {50, 50, 20, 20}, 0xAA0000);
    const CapturedFrame grown = take(*source);
    EXPECT_EQ(grown.format, source->format());
    EXPECT_EQ(difference(pictureOf(grown), server_.xwd().part({300, 200, 200, 150})), "");
}

TEST_F(ScreenTest, WindowIsItsOwnPictureWhereverItIs) {
    const Picture noise = noisePicture(160, 120, 6);
    const xcb_window_t window = client_.showWindow({100, 90, 160, 120}, 0x445566);
    const auto source = openScreen("window=" + std::to_string(window));
    client_.draw(window, noise);
    EXPECT_EQ(difference(pictureOf(take(*source)), noise), "");

    const xcb_window_t cover = client_.showWindow({120, 100, 300, 300}, 0xFF0000);
    client_.fill(window, {30, 40, 5, 5}, 0x00FF00);  // where it is covered
    Picture changed = noise;
    for (int y = 40; y < 45; ++y) {
        std::fill_n(&changed.at(30, y), 5, 0x00FF00);
    }
    EXPECT_EQ(difference(pictureOf(take(*source)), changed), "");
    EXPECT_EQ(server_.xwd().at(131, 131), 0xFF0000U) << "the screen is as before";

    client_.moveWindow(window, {-50, 420, 160, 120});
    client_.draw(window, noise);
    EXPECT_EQ(difference(pictureOf(take(*source)), noise), "");
    client_.moveWindow(window, {130, 110, 200, 150});
    client_.fill(window, {0, 0, 200, 150}, 0x123456);
    const Picture grown = pictureOf(take(*source));
    EXPECT_EQ(grown.width, 200);
    EXPECT_EQ(std::count(grown.pixels.begin(), grown.pixels.end(), 0x123456U), 200 * 150);
    client_.destroy(cover);
}

TEST_F(ScreenTest, WhatHappensOverAWindowIsNoChangeOfIt) {
    const xcb_window_t window = client_.showWindow({100, 90, 160, 120}, 0x445566);
    const auto source = openScreen("window=" + std::to_string(window));
    const CapturedFrame first = take(*source);
    client_.showWindow({120, 100, 30, 30}, 0xFF0000);
    const CapturedFrame second = take(*source);
    EXPECT_GE(second.capturedAt - first.capturedAt, kSecond);
    EXPECT_EQ(pictureOf(second), pictureOf(first));
}

TEST_F(ScreenTest, WindowHiddenAndShownAgainGoesOn) {
    const xcb_window_t window = client_.showWindow({100, 90, 160, 120}, 0x445566);
    const auto source = openScreen("window=" + std::to_string(window));
    take(*source);
    client_.hide(window);
    xcb_map_window(client_.get(), window);
    client_.fill(window, {0, 0, 160, 120}, 0x654321);
    EXPECT_EQ(pictureOf(take(*source)).at(80, 60), 0x654321U);
}

class PlainScreenTest : public ScreenTest {
  protected:
    PlainScreenTest() : ScreenTest(kScreen, {"-extension", "Composite"}) {}
};

TEST_F(PlainScreenTest, WindowThatLeavesTheScreenIsBlackThere) {
    for (const Rectangle& place :
         {Rectangle{-37, 390, 100, 200}, Rectangle{600, -20, 90, 64}, Rectangle{-5, -6, 700, 500}}) {
        const xcb_window_t window = client_.showWindow(place, 0xC0FFEE);
        const Picture noise = noisePicture(64, 64, 9);
        client_.draw(window, noise);
        const auto source = openScreen("window=" + std::to_string(window));
        const Picture picture = pictureOf(take(*source));
        ASSERT_EQ(picture.width, place.width);
        ASSERT_EQ(picture.height, place.height);
        const Picture screen = withPointer(server_.xwd(), client_.pointer());
        Picture expected{place.width, place.height, std::vector<std::uint32_t>(picture.pixels.size(), 0)};
        for (int y = 0; y < place.height; ++y) {
            for (int x = 0; x < place.width; ++x) {
                if (overlap({0, 0, kWidth, kHeight}, {place.x + x, place.y + y, 1, 1})) {
                    expected.at(x, y) = screen.at(place.x + x, place.y + y);
                }
            }
        }
        EXPECT_EQ(difference(picture, expected), "");
        client_.destroy(window);
    }
}

TEST_F(ScreenTest, WindowThatCloses) {
    const xcb_window_t window = client_.showWindow({0, 0, 100, 100}, 1);
    const auto source = openScreen("window=" + std::to_string(window));
    take(*source);
    client_.destroy(window);
    CapturedFrame frame;
    EXPECT_EQ(captureNext(*source, frame, never_), Status::Closed);
    ASSERT_EQ(source->notes().size(), 1U);
    EXPECT_NE(source->notes()[0].find(fmt::format("{:#x}", window)), std::string::npos) << source->notes()[0];
}

TEST_F(ScreenTest, TellsWhatChanged) {
    drawWindows();
    const xcb_window_t window = client_.showWindow({100, 90, 160, 120}, 0x445566);
    for (const std::string& what :
         {std::string(), std::string("rect=200x201+71+53"), "window=" + std::to_string(window)}) {
        SCOPED_TRACE(what);
        const auto source = openScreen(what);
        ChangesMirror mirror;
        const auto follow = [&] {
            const CapturedFrame frame = take(*source);
            return mirror.follow(frame.format, frame.lease.data(), frame.changed);
        };
        ASSERT_TRUE(follow());
        for (int i = 0; i < 40; ++i) {
            switch (i % 5) {
                case 0:
                    client_.movePointer(100 + 5 * i, 100 + 3 * i);
                    break;
                case 1:
                    client_.setPointerShape(i % 2 == 0 ? kArrow : kCross);
                    break;
                default:
                    client_.fill(window, {3 * i, 2 * i, 9, 7}, 0x010203U * static_cast<std::uint32_t>(i));
                    client_.fill(window, {150 - 3 * i, 50, 3, 3}, 0x030201U * static_cast<std::uint32_t>(i));
            }
            ASSERT_TRUE(follow()) << i;
        }
        EXPECT_GE(mirror.parts, 40U);
        client_.movePointer(kWidth - 1, kHeight - 1);
        client_.setPointerShape(kArrow);
    }
}

TEST_F(ScreenTest, WhatIsDrawnWhilePicturesAreReadIsToldToo) {
    const xcb_window_t window = client_.showWindow({0, 0, kWidth, kHeight}, 0x445566);
    SourceOptions options;
    options.unpaced = true;
    ScreenSource source(options, "");
    std::jthread drawing([window](const std::stop_token& stop) {
        XClient other;
        std::mt19937 random(2);
        while (!stop.stop_requested()) {
            other.fill(window, {static_cast<int>(random() % 600), static_cast<int>(random() % 440), 20, 10},
                       random());
        }
    });
    ChangesMirror mirror;
    for (int i = 0; i < 200; ++i) {
        const CapturedFrame frame = take(source);
        ASSERT_TRUE(mirror.follow(frame.format, frame.lease.data(), frame.changed)) << i;
    }
    EXPECT_GE(mirror.parts, 199U);
}

TEST_F(ScreenTest, AStillScreenTellsThatNothingButThePointerChanged) {
    drawWindows();
    client_.movePointer(100, 100);
    const auto source = openScreen("");
    take(*source);
    const CapturedFrame second = take(*source);
    ASSERT_FALSE(second.changed.isAll());
    for (const FrameRect& rect : second.changed.rects()) {
        EXPECT_LT(rect.width * rect.height, 64 * 64);
    }
}

TEST_F(ScreenTest, StillScreenSendsAFrameASecond) {
    drawWindows();
    const auto source = openScreen("rect=200x200+0+0");
    const CapturedFrame first = take(*source);
    client_.fill(client_.showWindow({300, 300, 50, 50}, 1), {0, 0, 50, 50}, 0xFF);  // elsewhere
    client_.movePointer(500, 400);
    const CapturedFrame second = take(*source);
    EXPECT_GE(second.capturedAt - first.capturedAt, kSecond);
    EXPECT_EQ(second.pts - first.pts, (second.capturedAt - first.capturedAt) / 1000);
    EXPECT_EQ(pictureOf(second), pictureOf(first));
}

TEST_F(ScreenTest, EveryChangeArrivesWithoutThatSecond) {
    const xcb_window_t window = client_.showWindow({50, 50, 100, 100}, 0);
    const auto source = openScreen("", ReadPath::Slots, Rational{200, 1});
    const TimestampNs start = nowNs();
    constexpr int kChanges = 20;
    for (int i = 1; i <= kChanges; ++i) {
        client_.fill(window, {0, 0, 100, 100}, static_cast<std::uint32_t>(i) * 0x050403);
        if (i % 2 == 0) {
            client_.movePointer(10 * i, 5 * i);
        }
        EXPECT_EQ(pictureOf(take(*source)), withPointer(server_.xwd(), client_.pointer())) << i;
    }
    EXPECT_LT(nowNs() - start, kChanges * kSecond) << "changes wait for the next still frame";
}

TEST_F(ScreenTest, PointerAloneIsAChange) {
    const auto source = openScreen("");
    const TimestampNs start = nowNs();
    constexpr int kMoves = 20;
    for (int i = 1; i <= kMoves; ++i) {
        client_.movePointer(20 * i, 300);
        EXPECT_EQ(pictureOf(take(*source)), withPointer(server_.xwd(), client_.pointer())) << i;
    }
    client_.setPointerShape(kCross);
    EXPECT_EQ(pictureOf(take(*source)), withPointer(server_.xwd(), client_.pointer()));
    EXPECT_LT(nowNs() - start, kMoves * kSecond);
}

TEST_F(ScreenTest, WaitingCanBeCancelled) {
    const auto source = openScreen("");
    take(*source);
    const Event cancel;
    cancel.notify();
    CapturedFrame frame;
    EXPECT_EQ(source->capture(frame, cancel), Status::Cancelled);
    EXPECT_FALSE(frame.lease);
    client_.fill(client_.showWindow({0, 0, 50, 50}, 7), {0, 0, 50, 50}, 7);
    EXPECT_EQ(captureNext(*source, frame, never_), Status::Ok);
    EXPECT_EQ(pictureOf(frame).at(20, 20), 7U);
}

TEST_F(ScreenTest, ChangeIsNotLostWhenAllSlotsAreHeld) {
    SourceOptions options;
    options.slots = 2;
    ScreenSource source(options, "");
    const CapturedFrame first = take(source);
    std::optional<CapturedFrame> second;
    client_.showWindow({0, 0, 50, 50}, 1);
    second = take(source);
    client_.showWindow({60, 0, 50, 50}, 2);
    const std::jthread viewer([&] { second.reset(); });  // releases its slot while the source waits
    EXPECT_EQ(pictureOf(take(source)).at(70, 10), 2U);
}

TEST_F(ScreenTest, ServerThatEnds) {
    const auto source = openScreen("");
    take(*source);
    server_.end();
    CapturedFrame frame;
    try {
        while (captureNext(*source, frame, never_) == Status::Ok) {
        }
        ADD_FAILURE() << "the source ends without a word";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Display);
        EXPECT_NE(std::string(error.what()).find(server_.display()), std::string::npos) << error.what();
    }
}

/// The error on opening it, with its hint.
std::string refusal(const std::string& what, ErrorKind kind) {
    try {
        openScreen(what);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return std::string(error.what()) + "; " + error.remedy();
    }
    return "taken";
}

void expectHolds(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
}

TEST_F(ScreenTest, WhatDoesNotExistIsRefused) {
    server_.addMonitor("WALL-2", {0, 0, 320, 240});
    expectHolds(refusal("monitor=HDMI-9", ErrorKind::Usage), {"HDMI-9", server_.display(), "WALL-2"});
    expectHolds(refusal("window=0x12345", ErrorKind::Usage), {"0x12345", "xwininfo"});
    expectHolds(refusal("rect=640x480+1+0", ErrorKind::Usage), {"640x480+1+0", "640x480 large"});
    expectHolds(refusal("rect=8x8+0+0", ErrorKind::Usage), {"8x8", "16x16"});
    const xcb_window_t window = client_.showWindow({0, 0, 100, 100}, 1);
    client_.hide(window);
    expectHolds(refusal("window=" + std::to_string(window), ErrorKind::Input), {"not on the screen"});
}

/// Its pixels are no colours, but indices into a map of colours.
TEST_F(ScreenTest, AWindowWithAColourMapIsRefused) {
    const xcb_screen_t& screen = client_.display().screen();
    for (auto depth = xcb_screen_allowed_depths_iterator(&screen); depth.rem > 0; xcb_depth_next(&depth)) {
        for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem > 0;
             xcb_visualtype_next(&visual)) {
            if (visual.data->_class != XCB_VISUAL_CLASS_DIRECT_COLOR || depth.data->depth != 24) {
                continue;
            }
            const xcb_colormap_t map = client_.display().newId();
            xcb_create_colormap(client_.get(), XCB_COLORMAP_ALLOC_NONE, map, screen.root,
                                visual.data->visual_id);
            const xcb_window_t window = client_.display().newId();
            const std::array<std::uint32_t, 4> values{0, 0, 1, map};
            xcb_create_window(
                client_.get(), 24, window, screen.root, 0, 0, 64, 64, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                visual.data->visual_id,
                XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_COLORMAP,
                values.data());
            xcb_map_window(client_.get(), window);
            client_.display().synchronise();
            expectHolds(refusal("window=" + std::to_string(window), ErrorKind::Usage),
                        {"depth 24 with a colour map", "TrueColor"});
            return;
        }
    }
    GTEST_SKIP() << "this X server has no DirectColor visual";
}

TEST_F(ScreenTest, DisplayOfAWaylandSessionIsToldOf) {
    ::setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    const auto source = verbcast::openScreen({}, "x11");
    ::unsetenv("WAYLAND_DISPLAY");
    ASSERT_EQ(source->notes().size(), 1U);
    expectHolds(source->notes()[0], {server_.display(), "only X programs", "screen:portal"});
    EXPECT_EQ(source->format().width, static_cast<std::uint32_t>(kWidth));
}

TEST(ScreenWithoutDisplay, IsRefusedWithTheRemedy) {
    ::unsetenv("WAYLAND_DISPLAY");
    ::unsetenv("XDG_SESSION_TYPE");
    ::unsetenv("DISPLAY");
    expectHolds(refusal("", ErrorKind::Display), {"DISPLAY is not set", "DISPLAY=:0"});
    ::setenv("XDG_SESSION_TYPE", "wayland", 1);
    expectHolds(refusal("", ErrorKind::Display), {"Wayland", "of X cannot be captured", "screen:portal"});
    ::unsetenv("XDG_SESSION_TYPE");
    ::setenv("DISPLAY", ":4242", 1);
    expectHolds(refusal("", ErrorKind::Display), {":4242", "xhost"});
    expectHolds(refusal("window=x", ErrorKind::Usage), {"window=x", "0x1400007"});
    ::unsetenv("DISPLAY");
}

}  // namespace
}  // namespace verbcast::testing

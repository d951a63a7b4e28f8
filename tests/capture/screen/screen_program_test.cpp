// verbcast send screen, as a user runs it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>

#include "capture/screen/keyboard_map.h"
#include "core/stream/frame_receiver.h"
#include "tests/support/verbcast_program.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {
namespace {

class ScreenProgramTest : public ProgramTest {
  protected:
    static std::string url() { return fmt::format("shm://screen-test-{}", ::getpid()); }

    /// The program exits by itself with the code and prints these.
    void expectRefused(const Arguments& arguments, int code, const std::vector<std::string>& says) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, code));
        for (const std::string& part : says) {
            EXPECT_TRUE(holds(program.errors(), part));
        }
    }

    /// A window that fills the screen and receives key presses.
    void focusWindow() {
        client_.focus(client_.showWindow({0, 0, 320, 240}, 0,
                                         XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE |
                                             XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE));
    }
    static std::unique_ptr<FrameReceiver> viewerOf(Verbcast& sender) {
        ReceiverOptions options;
        options.url = parseUrl(sender.listenAddress());
        options.peerTimeout = kPatience;
        return std::make_unique<FrameReceiver>(options);
    }
    /// Receives frames until one shows the effect of that input.
    static void awaitInput(FrameReceiver& viewer, ReceivedFrame& frame, std::uint64_t input) {
        ASSERT_NE(input, 0U);
        while (frame.info.inputSequence < input) {
            ASSERT_EQ(viewer.receive(frame, kPatience), Status::Ok);
        }
    }

    XServer server_{"320x240x24"};
    XClient client_;
};

TEST_F(ScreenProgramTest, FramesArriveAsTheyWereCaptured) {
    client_.draw(client_.showWindow({0, 0, 320, 240}, 0), noisePicture(320, 240, 3));
    Verbcast sender({"send", "screen", "--policy", "lossless", "--listen", url(), "--frames", "3", "--once",
                     "--frame-md5", file("sent.md5")},
                    home_);
    sender.listenAddress();
    Verbcast viewer({"view", "--headless", url(), "--frame-md5", file("got.md5")}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(viewer.errors(), "320x240 bgra"));
    EXPECT_EQ(md5Lines(file("got.md5")), md5Lines(file("sent.md5")));
    EXPECT_EQ(md5Lines(file("got.md5")).size(), 3U);
}

TEST_F(ScreenProgramTest, AWindowThatIsHiddenKeepsNobodyBeyondTheTime) {
    const xcb_window_t window = client_.showWindow({0, 0, 64, 64}, 5);
    Verbcast sender({"send", fmt::format("screen:window={}", window), "--listen", url(), "--seconds", "3"},
                    home_);
    sender.listenAddress();
    Verbcast viewer({"view", "--headless", url(), "--once"}, home_);
    ASSERT_TRUE(viewer.waitForError("receiving 64x64"));
    client_.hide(window);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(sender.errors(), "(duration)"));
    EXPECT_TRUE(endsWith(viewer, 0));
}

TEST_F(ScreenProgramTest, AWindowThatIsHiddenKeepsNoSenderWithoutItsViewer) {
    const xcb_window_t window = client_.showWindow({0, 0, 64, 64}, 5);
    Verbcast sender({"send", fmt::format("screen:window={}", window), "--listen", url(), "--once"}, home_);
    sender.listenAddress();
    Verbcast viewer({"view", "--headless", url()}, home_);
    ASSERT_TRUE(viewer.waitForError("receiving 64x64"));
    client_.hide(window);
    viewer.signal(SIGINT);
    EXPECT_TRUE(endsWith(viewer, 130));
    EXPECT_TRUE(endsWith(sender, 0));
}

/// Waits until the client receives an event of this type.
::testing::AssertionResult comes(XClient& client, int type) {
    for (;;) {
        for (const auto& event : client.events()) {
            if ((event->response_type & 0x7F) == type) {
                return ::testing::AssertionSuccess();
            }
        }
        if (!waitReadable({client.display().descriptor()}, kPatience)) {
            return ::testing::AssertionFailure() << "no event of type " << type;
        }
    }
}

TEST_F(ScreenProgramTest, ViewersInputReachesTheScreenAndIsLetGoWithTheViewer) {
    focusWindow();
    Verbcast sender({"send", "screen", "--allow-input", "--listen", url()}, home_);
    auto viewer = viewerOf(sender);
    ReceivedFrame frame;
    ASSERT_EQ(viewer->receive(frame, kPatience), Status::Ok);
    EXPECT_EQ(frame.info.inputSequence, 0U);
    ASSERT_TRUE(viewer->inputAllowed());
    viewer->sendInput({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 30, .y = 40});
    viewer->sendInput({.kind = InputKind::PointerButton, .pressed = false, .code = 1, .x = 30, .y = 40});
    const std::uint64_t last = viewer->sendInput({.kind = InputKind::Key, .pressed = true, .code = 'x'});
    ASSERT_NO_FATAL_FAILURE(awaitInput(*viewer, frame, last));
    EXPECT_TRUE(comes(client_, XCB_KEY_PRESS));
    frame.lease.reset();
    viewer.reset();
    EXPECT_TRUE(comes(client_, XCB_KEY_RELEASE));
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 130));
}

/// Waits until no key or button of the screen is down and no key is mapped to the keysym.
::testing::AssertionResult becomesQuiet(XClient& client, xcb_keysym_t keysym) {
    for (;;) {
        const XReply<xcb_query_keymap_reply_t> keys(
            xcb_query_keymap_reply(client.get(), xcb_query_keymap(client.get()), nullptr));
        const bool anyKey = std::any_of(std::begin(keys->keys), std::end(keys->keys),
                                        [](std::uint8_t bits) { return bits != 0; });
        const bool anyMore = client.state() != 0 || KeyboardMap(client.display()).find(keysym, 0).has_value();
        if (!anyKey && !anyMore) {
            return ::testing::AssertionSuccess();
        }
        if (client.events().empty() && !waitReadable({client.display().descriptor()}, kPatience)) {
            return ::testing::AssertionFailure() << (anyKey ? "a key" : "a button or a lent key") << " stays";
        }
    }
}

TEST_F(ScreenProgramTest, NothingStaysPressedWhenTheSenderIsKilled) {
    constexpr xcb_keysym_t kShiftKey = 0xFFE1, kCyrillic = 0x1000416;  // no key of this keyboard has it
    focusWindow();
    Verbcast sender({"send", "screen", "--allow-input", "--listen", url()}, home_);
    const auto viewer = viewerOf(sender);
    ReceivedFrame frame;
    ASSERT_EQ(viewer->receive(frame, kPatience), Status::Ok);
    viewer->sendInput({.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 30, .y = 40});
    viewer->sendInput({.kind = InputKind::Key, .pressed = true, .code = kCyrillic});
    viewer->sendInput({.kind = InputKind::Key, .pressed = true, .code = kShiftKey});
    const std::uint64_t last = viewer->sendInput({.kind = InputKind::Key, .pressed = true, .code = 'x'});
    ASSERT_NO_FATAL_FAILURE(awaitInput(*viewer, frame, last));
    EXPECT_TRUE(client_.isKeyDown(KeyboardMap(client_.display()).find('x', 0).value().code));
    EXPECT_EQ(client_.state(), std::uint32_t{XCB_MOD_MASK_SHIFT} | std::uint32_t{XCB_BUTTON_MASK_1});
    EXPECT_TRUE(KeyboardMap(client_.display()).find(kCyrillic, 0));
    frame.lease.reset();
    const auto killedAt = TestClock::now();
    sender.signal(SIGKILL);
    EXPECT_TRUE(becomesQuiet(client_, kCyrillic));
    RecordProperty("milliseconds",
                   static_cast<int>((TestClock::now() - killedAt) / std::chrono::milliseconds(1)));
    EXPECT_TRUE(endsWith(sender, 128 + SIGKILL));
}

TEST_F(ScreenProgramTest, MonitorsAreListed) {
    server_.addMonitor("WALL-2", {20, 10, 160, 120});
    Verbcast program({"devices"}, home_);
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_TRUE(holds(program.output(), "WALL-2  160x120+20+10\n"));
}

TEST_F(ScreenProgramTest, WhatCannotBeSentIsRefused) {
    expectRefused({"send", "screen:monitor=NONE"}, 2, {"\"NONE\"", "try: monitors are: "});
    expectRefused({"send", "screen:rect=320x241+0+0"}, 2, {"320x241+0+0", "320x240 large"});
    expectRefused({"send", "screen:window=1"}, 2, {"window 0x1", "xwininfo"});
    expectRefused({"send", "screen:all"}, 2, {"screen:all", "screen:monitor=NAME"});
    expectRefused({"send", "screen", "--size", "64x64"}, 2, {"own size", "screen:rect="});
    expectRefused({"send", "pattern", "--allow-input"}, 2, {"--allow-input", "pattern bars", "screen"});
    ::unsetenv("DISPLAY");
    expectRefused({"send", "screen"}, 8, {"DISPLAY"});
}

}  // namespace
}  // namespace verbcast::testing

// Viewers' keyboard and pointer input reaches a program that `verbcast run` started, and nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xinput.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include "capture/screen/master_devices.h"
#include "capture/screen/screen_input.h"
#include "tests/app/commands/run/run_fixture.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

InputEvent button(std::uint32_t number, bool pressed, float x, float y) {
    return {.kind = InputKind::PointerButton, .pressed = pressed, .code = number, .x = x, .y = y};
}
const InputEvent kReleaseAll{.kind = InputKind::ReleaseAll};

/// The server's master devices: two, unless more have been added.
int masterCount(const XClient& client) {
    const XReply<xcb_input_xi_query_version_reply_t> version(xcb_input_xi_query_version_reply(
        client.get(), xcb_input_xi_query_version(client.get(), 2, 2), nullptr));
    const XReply<xcb_input_xi_query_device_reply_t> reply(xcb_input_xi_query_device_reply(
        client.get(), xcb_input_xi_query_device(client.get(), XCB_INPUT_DEVICE_ALL_MASTER), nullptr));
    return reply ? reply->num_infos : -1;
}

class RunInputTest : public RunTest {
  protected:
    Arguments steered(const std::string& mode, const Arguments& more = {}) const {
        Arguments options{"--allow-input"};
        options.insert(options.end(), more.begin(), more.end());
        return run({STEERED_SCENE_PROGRAM, "320x240", mode}, options);
    }
};

class SteeredProgramTest : public RunInputTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SteeredProgramTest, DoesWhatItsViewerDoes) {
    Verbcast running(steered(GetParam()), home_);
    {
        ColourViewer viewer(address());
        ASSERT_TRUE(viewer.awaitColour({0, 0, 0}));
        ASSERT_TRUE(viewer.receiver().inputAllowed());
        EXPECT_TRUE(viewer.becomes({'a', 0, 0}, key('a', true)));
        EXPECT_TRUE(viewer.becomes({0, 0, 0}, key('a', false)));
        EXPECT_TRUE(viewer.becomes({0xF6, 0, 0}, key(0xF6, true))) << "a character without a key";
        EXPECT_TRUE(viewer.becomes({0, 0, 0}, key(0xF6, false)));
        EXPECT_TRUE(viewer.becomes({0, 10, 1}, button(1, true, 105, 50)));
        EXPECT_TRUE(viewer.becomes({0, 10, 0}, button(1, false, 300, 200)));
        EXPECT_TRUE(viewer.becomes({0, 10, 16}, {.kind = InputKind::Wheel, .x = 5, .y = 5, .dy = 1}));
        EXPECT_TRUE(viewer.becomes({0, 20, 17},
                                   {.kind = InputKind::Touch, .pressed = true, .code = 7, .x = 205, .y = 9}));
        EXPECT_TRUE(viewer.becomes({0, 20, 16}, {.kind = InputKind::Touch, .code = 7, .x = 215, .y = 9}));
        // Held keys and buttons are released when the focus is lost and when the viewer disconnects.
        EXPECT_TRUE(viewer.becomes({0xE1, 20, 16}, key(0xFFE1, true)));
        EXPECT_TRUE(viewer.becomes({0xE1, 30, 20}, button(3, true, 300, 50)));
        EXPECT_TRUE(viewer.becomes({0, 30, 16}, kReleaseAll));
        EXPECT_TRUE(viewer.becomes({'x', 30, 16}, key('x', true)));
    }
    ColourViewer next(address());
    EXPECT_TRUE(next.awaitColour({0, 30, 16}));
    EXPECT_TRUE(endsBySignal(running));
}

INSTANTIATE_TEST_SUITE_P(Run, SteeredProgramTest, ::testing::Values("loop", "demand"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_F(RunInputTest, PlacesInAScaledPictureAreThoseOfTheWindow) {
    Verbcast running(steered("demand", {"--size", "640x480"}), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.awaitColour({0, 0, 0}));
    EXPECT_TRUE(viewer.becomes({0, 10, 1}, button(1, true, 211, 10)));
    EXPECT_TRUE(viewer.becomes({0, 10, 0}, button(1, false, 211, 10)));
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunInputTest, OthersKeepTheirPointerAndTheirKeyboard) {
    XClient user;
    constexpr std::uint32_t kAll = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_BUTTON_PRESS;
    const xcb_window_t own = user.showWindow({600, 400, 200, 200}, 0x808080, kAll);
    {
        Verbcast running(steered("loop"), home_);
        ColourViewer viewer(address());
        ASSERT_TRUE(viewer.awaitColour({0, 0, 0}));
        EXPECT_EQ(masterCount(user), 4);
        user.focus(own);
        user.movePointer(650, 450);
        user.events();
        EXPECT_TRUE(viewer.becomes({'q', 0, 0}, key('q', true)));
        EXPECT_TRUE(viewer.becomes({'q', 10, 1}, button(1, true, 105, 50)));
        EXPECT_TRUE(viewer.becomes({'q', 10, 0}, button(1, false, 105, 50)));
        // Covered: a click would go to another window, keys still reach the program.
        user.showWindow({0, 0, 400, 400}, 0x202020, kAll);
        EXPECT_NE(viewer.receiver().sendInput(button(1, true, 205, 50)), 0U);
        EXPECT_NE(viewer.receiver().sendInput(button(1, false, 205, 50)), 0U);
        EXPECT_TRUE(viewer.becomes({0, 10, 0}, key('q', false)));
        EXPECT_TRUE(viewer.becomes({'w', 10, 0}, key('w', true)));
        for (const auto& event : user.events()) {
            EXPECT_NE(event->response_type & 0x7F, XCB_KEY_PRESS);
            EXPECT_NE(event->response_type & 0x7F, XCB_BUTTON_PRESS);
        }
        const XReply<xcb_query_pointer_reply_t> pointer(xcb_query_pointer_reply(
            user.get(), xcb_query_pointer(user.get(), user.display().root()), nullptr));
        EXPECT_EQ(pointer->root_x, 650);
        EXPECT_EQ(pointer->root_y, 450);
        EXPECT_TRUE(endsBySignal(running));
    }
    EXPECT_EQ(masterCount(user), 2);
}

/// Waits until the server has that many master devices.
::testing::AssertionResult mastersBecome(XClient& client, int count) {
    constexpr struct {
        xcb_input_event_mask_t head{XCB_INPUT_DEVICE_ALL, 1};
        std::uint32_t mask = XCB_INPUT_XI_EVENT_MASK_HIERARCHY;
    } kHierarchy;
    masterCount(client);  // tells the server that this client knows XInput 2
    xcb_input_xi_select_events(client.get(), client.display().root(), 1, &kHierarchy.head);
    for (;;) {
        client.events();
        const int found = masterCount(client);
        if (found == count) {
            return ::testing::AssertionSuccess();
        }
        if (client.events().empty() && !waitReadable({client.display().descriptor()}, kPatience)) {
            return ::testing::AssertionFailure() << found << " master devices";
        }
    }
}

/// The child processes of `parent`, with what they run.
std::map<pid_t, std::string> childrenOf(pid_t parent) {
    std::map<pid_t, std::string> children;
    std::ifstream list(fmt::format("/proc/{}/task/{}/children", parent, parent));
    for (pid_t child = 0; list >> child;) {
        std::getline(std::ifstream(fmt::format("/proc/{}/cmdline", child)), children[child], '\0');
    }
    return children;
}

TEST_F(RunInputTest, DevicesOfAKilledRunGoWithItsProgram) {
    XClient user;
    Verbcast running(steered("loop"), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.awaitColour({0, 0, 0}));
    pid_t program = 0;
    for (const auto& [child, path] : childrenOf(running.pid())) {
        program = path == STEERED_SCENE_PROGRAM ? child : program;
    }
    ASSERT_NE(program, 0);
    running.signal(SIGKILL);
    EXPECT_TRUE(viewer.becomes({'x', 0, 0}, key('x', true))) << "the program lives on";
    EXPECT_EQ(masterCount(user), 4);
    EXPECT_EQ(::kill(program, SIGKILL), 0);
    EXPECT_TRUE(mastersBecome(user, 2));
    EXPECT_TRUE(endsWith(running, 128 + SIGKILL));
}

/// Devices of a process that was killed together with its guard.
TEST_F(RunInputTest, DevicesThatWereLeftBehindAreTakenAway) {
    const XClient user;
    const pid_t killed = ::fork();
    if (killed == 0) {
        new OwnMasterPair;
        const auto children = childrenOf(::getpid());
        for (const auto& [guard, path] : children) {
            ::kill(guard, SIGKILL);
        }
        ::_exit(children.size() == 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(killed, &status, 0), killed);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(masterCount(user), 4);
    {
        const OwnMasterPair pair;
        EXPECT_EQ(masterCount(user), 4);
        EXPECT_NE(pair.devices().pointer, 0);
        EXPECT_NE(pair.devices().keyboard, pair.devices().pointer);
    }
    EXPECT_EQ(masterCount(user), 2);
}

/// The server would use the user's devices instead.
TEST_F(RunInputTest, WithoutItsDevicesAProgramTakesNoInput) {
    XClient user;
    std::optional<OwnMasterPair> pair(std::in_place);
    const xcb_window_t window = user.showWindow({0, 0, 100, 100}, 0, XCB_EVENT_MASK_KEY_PRESS);
    std::atomic<std::uint64_t> serial{0};
    ScreenInput input(OneWindow{window}, serial, {.devices = pair->devices()});
    const std::vector<ViewerInput> events{
        {.serial = 1, .viewer = 1, .viewerName = "test", .event = key('x', true)}};
    input.apply(events);
    EXPECT_EQ(serial, 1U);
    pair.reset();
    user.focus(window);
    user.events();
    EXPECT_THROW(input.apply(events), Error);
    for (const auto& event : user.events()) {
        EXPECT_NE(event->response_type & 0x7F, XCB_KEY_PRESS);
    }
}

TEST_F(RunInputTest, IsOffUnlessAllowed) {
    Verbcast running(run({STEERED_SCENE_PROGRAM, "320x240", "loop"}), home_);
    ColourViewer viewer(address());
    ASSERT_TRUE(viewer.awaitColour({0, 0, 0}));
    EXPECT_FALSE(viewer.receiver().inputAllowed());
    EXPECT_EQ(viewer.receiver().sendInput(key('a', true)), 0U);
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunInputTest, WhereItCannotBeIsSaid) {
    const XServer without("640x480x24", {"-extension", "XTEST"});
    Verbcast refused(steered("loop"), home_);
    EXPECT_TRUE(endsWith(refused, 8));
    EXPECT_TRUE(holds(refused.errors(), "lacks the extension XTEST"));
    EXPECT_TRUE(holds(refused.errors(), "leave --allow-input out"));
    ::unsetenv("DISPLAY");
    Verbcast blind(steered("loop"), home_);
    EXPECT_TRUE(endsWith(blind, 8));
    EXPECT_TRUE(holds(blind.errors(), "DISPLAY is not set"));
}

}  // namespace
}  // namespace verbcast::testing

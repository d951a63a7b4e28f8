// A window that turns white on a real X server.
#include <gtest/gtest.h>
#include <unistd.h>

#include "capture/screen/flash_watch.h"
#include "core/base/os/event.h"
#include "tests/support/patience.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kBlack = 0, kWhite = 0xFFFFFF, kGrey = 0x404040;
constexpr TimestampNs kMs = 1'000'000;

class FlashWatchTest : public ::testing::Test {
  protected:
    xcb_window_t showWindow(const Rectangle& place, std::uint32_t process) {
        const xcb_window_t window = client_.showWindow(place, kBlack);
        const auto atom = client_.display().ask(xcb_intern_atom, xcb_intern_atom_reply, std::uint8_t{0},
                                                std::uint16_t{11}, "_NET_WM_PID");
        xcb_change_property(client_.get(), XCB_PROP_MODE_REPLACE, window, atom->atom, XCB_ATOM_CARDINAL, 32,
                            1, &process);
        client_.display().synchronise();
        return window;
    }
    /// Those of what has been drawn until now.
    std::vector<TimestampNs> flashes() {
        std::vector<TimestampNs> found;
        display_.synchronise();  // all events before have come then
        watch_.look(found);
        return found;
    }

    XServer server_{"640x480x24"};
    XClient client_;
    XDisplay display_;
    FlashWatch watch_{display_, ::getpid()};
};

TEST_F(FlashWatchTest, TellsWhenTheMiddleTurnsWhite) {
    EXPECT_TRUE(flashes().empty());
    EXPECT_FALSE(watch_.hasWindow());
    const auto own = static_cast<std::uint32_t>(::getpid());
    const xcb_window_t other = showWindow({0, 0, 400, 300}, own + 1);
    showWindow({10, 0, 2, 2}, own);
    const xcb_window_t window = showWindow({100, 50, 200, 100}, own);
    const auto fill = [&](const Rectangle& part, std::uint32_t colour) {
        client_.fill(window, part, colour);
    };
    EXPECT_TRUE(flashes().empty());
    ASSERT_TRUE(watch_.hasWindow());

    const TimestampNs before = nowNs();
    fill({0, 0, 200, 100}, kWhite);
    const TimestampNs after = nowNs();
    const std::vector<TimestampNs> found = flashes();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_GE(found[0], before - kMs);
    EXPECT_LE(found[0], after + kMs);

    fill({0, 0, 200, 100}, kWhite);
    EXPECT_TRUE(flashes().empty()) << "it was white already";
    fill({0, 0, 200, 100}, kGrey);
    EXPECT_TRUE(flashes().empty());
    fill({0, 0, 90, 100}, kWhite);
    client_.fill(other, {0, 0, 400, 300}, kWhite);
    EXPECT_TRUE(flashes().empty()) << "not in the middle, or of another program";
    fill({100, 50, 1, 1}, kWhite);
    EXPECT_EQ(flashes().size(), 1U);
}

TEST_F(FlashWatchTest, IsWokenByTheDisplay) {
    const xcb_window_t window = showWindow({0, 0, 64, 64}, static_cast<std::uint32_t>(::getpid()));
    std::vector<TimestampNs> found = flashes();
    client_.fill(window, {0, 0, 64, 64}, kWhite);
    const Deadline deadline = Deadline::in(kPatience);
    while (found.empty() && waitReadable({display_.descriptor()}, deadline)) {
        watch_.look(found);
    }
    EXPECT_EQ(found.size(), 1U);
}

TEST_F(FlashWatchTest, SaysThatTheServerIsGone) {
    server_.end();
    std::vector<TimestampNs> found;
    EXPECT_THROW(watch_.look(found), Error);
}

}  // namespace
}  // namespace verbcast::testing

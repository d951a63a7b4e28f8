// Viewers' keyboard and pointer input arrives in a real X client on the captured screen.
#include <gtest/gtest.h>

#include <xkbcommon/xkbcommon-x11.h>

#include "capture/screen/screen_input.h"
#include "capture/screen/screen_source.h"
#include "tests/capture/capture_next.h"
#include "tests/support/child_process.h"
#include "tests/support/x_keys.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {
namespace {

constexpr xcb_keysym_t kShift = XKB_KEY_Shift_L, kControl = XKB_KEY_Control_L, kCapsLock = XKB_KEY_Caps_Lock,
                       kTab = XKB_KEY_Tab, kBackTab = XKB_KEY_ISO_Left_Tab, kReturn = XKB_KEY_Return,
                       kEuro = XKB_KEY_EuroSign, kZhe = 0x1000416, kUmlaut = XKB_KEY_Udiaeresis,
                       kKeypad7 = XKB_KEY_KP_7;

InputEvent key(xcb_keysym_t keysym, bool pressed) {
    return {.kind = InputKind::Key, .pressed = pressed, .code = keysym};
}
InputEvent move(float x, float y) {
    return {.kind = InputKind::PointerMove, .x = x, .y = y};
}
InputEvent button(std::uint32_t number, bool pressed, float x, float y) {
    return {.kind = InputKind::PointerButton, .pressed = pressed, .code = number, .x = x, .y = y};
}
InputEvent wheel(float dx, float dy) {
    return {.kind = InputKind::Wheel, .x = 5, .y = 5, .dx = dx, .dy = dy};
}
InputEvent touch(std::uint32_t finger, bool pressed, float x, float y) {
    return {.kind = InputKind::Touch, .pressed = pressed, .code = finger, .x = x, .y = y};
}
const InputEvent kReleaseAll{.kind = InputKind::ReleaseAll};

class ScreenInputTest : public ::testing::Test {
  protected:
    static constexpr Rectangle kWindow{80, 60, 400, 300};
    static constexpr std::uint32_t kEvents = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE |
                                             XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE;

    ScreenInputTest() : server_("640x480x24"), window_(client_.showWindow(kWindow, 0x808080, kEvents)) {
        client_.focus(window_);
        // As toolkits do: events then tell the layout.
        xkb_x11_setup_xkb_extension(client_.get(), 1, 0, XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, nullptr,
                                    nullptr, nullptr, nullptr);
        client_.events();
    }

    void open(const std::string& what = "") { input_.emplace(parseScreenSelection(what), serial_); }

    void send(const std::vector<InputEvent>& events, std::uint64_t viewer = 1) {
        std::vector<ViewerInput> list;
        for (const InputEvent& event : events) {
            list.push_back({.serial = ++lastSerial_, .viewer = viewer, .viewerName = "test", .event = event});
        }
        input_->apply(list);
    }

    /// Sends what a viewer sends whose user types these.
    void type(const std::vector<xcb_keysym_t>& keysyms) {
        for (const xcb_keysym_t keysym : keysyms) {
            send({key(keysym, true), key(keysym, false)});
        }
    }

    /// The received keys as a program with Xlib reads them. Shift and Control themselves are omitted.
    std::vector<xcb_keysym_t> typed() {
        std::vector<xcb_keysym_t> list;
        for (const auto& event : client_.events()) {
            if ((event->response_type & 0x7F) != XCB_KEY_PRESS) {
                continue;
            }
            const xcb_keysym_t keysym = keysymOf(reinterpret_cast<const xcb_key_press_event_t&>(*event));
            if (keysym < kShift || keysym > XKB_KEY_Hyper_R) {
                list.push_back(keysym);
            }
        }
        return list;
    }

    struct Click {
        bool pressed;
        int number, x, y;
        friend bool operator==(const Click&, const Click&) = default;
        friend void PrintTo(const Click& click, std::ostream* out) {
            *out << (click.pressed ? "press " : "release ") << click.number << " at " << click.x << ", "
                 << click.y;
        }
    };
    /// Received buttons, in the window's coordinates.
    std::vector<Click> clicks() {
        std::vector<Click> list;
        for (const auto& event : client_.events()) {
            const int type = event->response_type & 0x7F;
            if (type == XCB_BUTTON_PRESS || type == XCB_BUTTON_RELEASE) {
                const auto& each = reinterpret_cast<const xcb_button_press_event_t&>(*event);
                list.push_back({type == XCB_BUTTON_PRESS, each.detail, each.event_x, each.event_y});
            }
        }
        return list;
    }

    xcb_keycode_t codeOf(xcb_keysym_t keysym) const {
        return KeyboardMap(client_.display()).find(keysym, 0).value().code;
    }
    bool isDown(xcb_keysym_t keysym) const { return client_.isKeyDown(codeOf(keysym)); }

    std::pair<int, int> pointer() const {
        const XReply<xcb_query_pointer_reply_t> reply(xcb_query_pointer_reply(
            client_.get(), xcb_query_pointer(client_.get(), client_.display().root()), nullptr));
        return {reply->root_x, reply->root_y};
    }

    XServer server_;
    XClient client_;
    xcb_window_t window_;
    std::atomic<std::uint64_t> serial_{0};
    std::uint64_t lastSerial_ = 0;
    std::optional<ScreenInput> input_;
};

TEST_F(ScreenInputTest, TextArrives) {
    open();
    const std::vector<xcb_keysym_t> text{'H', 'e', 'l', 'l', 'o', ',',  ' ', 'W', 'O', 'r',
                                         'l', 'd', '!', '?', '~', kTab, '1', '@', '%', kReturn};
    type(text);
    EXPECT_EQ(typed(), text);
    EXPECT_EQ(serial_, lastSerial_);
    EXPECT_EQ(client_.state() & 0xFF, 0U);
}

TEST_F(ScreenInputTest, CharactersWithoutAKeyArrive) {
    open();
    const std::vector<xcb_keysym_t> text{kUmlaut, 'b',     'e', 'r',      ' ',           kEuro,
                                         kZhe,    kUmlaut, 'A', kKeypad7, XKB_KEY_eacute};
    type(text);
    EXPECT_EQ(typed(), text);
    input_.reset();
    EXPECT_FALSE(KeyboardMap(client_.display()).find(kZhe, 0)) << "the keyboard is not as it was";
}

TEST_F(ScreenInputTest, TextArrivesInEachOfThreeLayouts) {
    ASSERT_EQ(ChildProcess({"setxkbmap", "us,de,ru"}).waitForEnd(), 0);
    open();
    const std::vector<xcb_keysym_t> text{'z',
                                         'Y',
                                         '/',
                                         '&',
                                         '1',
                                         '"',
                                         '@',
                                         kUmlaut,
                                         XKB_KEY_ssharp,
                                         XKB_KEY_Cyrillic_ya,
                                         '?',
                                         XKB_KEY_Cyrillic_YU};
    for (const unsigned layout : {2U, 1U, 0U, 2U}) {
        lockLayout(layout);
        type(text);
        EXPECT_EQ(typed(), text) << "layout " << layout;
    }
    type({0x100044F});
    EXPECT_EQ(typed(), std::vector<xcb_keysym_t>{XKB_KEY_Cyrillic_ya})
        << "this layout's key by its Unicode name";
}

TEST_F(ScreenInputTest, ViewersOwnAltGrIsRespected) {
    ASSERT_EQ(ChildProcess({"setxkbmap", "de"}).waitForEnd(), 0);
    open();
    send({key(XKB_KEY_ISO_Level3_Shift, true)});
    type({'@', 'q', kEuro, XKB_KEY_dead_acute});
    EXPECT_EQ(typed(),
              (std::vector<xcb_keysym_t>{XKB_KEY_ISO_Level3_Shift, '@', 'q', kEuro, XKB_KEY_dead_acute}));
}

TEST_F(ScreenInputTest, MoreCharactersThanThereAreSpareKeys) {
    open();
    for (xcb_keysym_t round = 0; round < 300; round += 10) {  // read regularly, as a program does
        std::vector<xcb_keysym_t> text;
        for (xcb_keysym_t i = 0; i < 3; ++i) {
            text.push_back(0x1004E00 + round + i);
        }
        type(text);
        EXPECT_EQ(typed(), text);
    }
}

TEST_F(ScreenInputTest, ViewersOwnShiftIsRespected) {
    open();
    send({key(kShift, true)});
    type({'A', kTab, 'b', '7', '/', 'C', kBackTab});
    EXPECT_TRUE(isDown(kShift));
    send({key(kShift, false)});
    type({'d'});
    // Tab with Shift is what this keyboard calls ISO_Left_Tab.
    EXPECT_EQ(typed(), (std::vector<xcb_keysym_t>{'A', kBackTab, 'b', '7', '/', 'C', kBackTab, 'd'}));
}

TEST_F(ScreenInputTest, CapsLockOfTheScreenChangesNothing) {
    open();
    type({kCapsLock, 'a', 'B', '1', '!'});
    EXPECT_NE(client_.state() & XCB_MOD_MASK_LOCK, 0U);
    type({kCapsLock, 'a', 'B'});
    EXPECT_EQ(typed(), (std::vector<xcb_keysym_t>{'a', 'B', '1', '!', 'a', 'B'}));
}

TEST_F(ScreenInputTest, KeysThatOverlapDoNotShareShift) {
    open();
    send({key('H', true), key('i', true), key('H', false), key('i', false)});
    EXPECT_EQ(typed(), (std::vector<xcb_keysym_t>{'H', 'i'}));
    EXPECT_FALSE(isDown(kShift));
    EXPECT_FALSE(isDown('h'));
    EXPECT_FALSE(isDown('i'));
}

TEST_F(ScreenInputTest, ReleasedUnderAnotherNameIsReleased) {
    open();
    send({key(kShift, true), key('A', true), key(kShift, false), key('a', false)});
    EXPECT_FALSE(isDown('a'));
    EXPECT_FALSE(isDown(kShift));
    send({key('q', false), key(0, true), key(0, false)});
    EXPECT_EQ(typed(), (std::vector<xcb_keysym_t>{'A'}));
}

TEST_F(ScreenInputTest, ReleaseAllLetsGoWhatThisViewerHolds) {
    open();
    send({key('x', true), key(kShift, true), key(kControl, true), button(1, true, 200, 200)}, 1);
    send({key('x', true), key('y', true)}, 2);
    send({key('x', true)}, 2);  // the viewer's key repeat
    EXPECT_NE(client_.state() & XCB_BUTTON_MASK_1, 0U);
    send({kReleaseAll}, 1);
    EXPECT_EQ(client_.state(), 0U);
    EXPECT_TRUE(isDown('x')) << "the other viewer holds it";
    EXPECT_TRUE(isDown('y'));
    send({kReleaseAll}, 2);
    EXPECT_FALSE(isDown('x'));
    EXPECT_FALSE(isDown('y'));
    send({kReleaseAll}, 3);
}

TEST_F(ScreenInputTest, EverythingIsLetGoAtTheEnd) {
    open();
    send({key('x', true), key(kShift, true), button(3, true, 200, 200), touch(7, true, 210, 210)});
    EXPECT_NE(client_.state(), 0U);
    input_.reset();
    EXPECT_EQ(client_.state(), 0U);
    EXPECT_FALSE(isDown('x'));
}

TEST_F(ScreenInputTest, ClickArrivesAtItsPlace) {
    open();
    send({button(1, true, 90.9F, 70.2F), button(1, false, 95, 75), button(3, true, 95, 75),
          button(3, false, 95, 75), button(9, true, 95, 75), button(9, false, 95, 75)});
    EXPECT_EQ(clicks(), (std::vector<Click>{{true, 1, 10, 10},
                                            {false, 1, 15, 15},
                                            {true, 3, 15, 15},
                                            {false, 3, 15, 15},
                                            {true, 9, 15, 15},
                                            {false, 9, 15, 15}}));
    send({button(0, true, 1, 1), button(4, true, 1, 1), button(77, true, 1, 1)});
    EXPECT_EQ(clicks(), std::vector<Click>{});
}

TEST_F(ScreenInputTest, PlacesCountFromThePictureAndStayInIt) {
    open("rect=200x100+100+70");
    send({move(0, 0)});
    EXPECT_EQ(pointer(), std::pair(100, 70));
    send({move(12.7F, 99)});
    EXPECT_EQ(pointer(), std::pair(112, 169));
    send({move(-50, 1e9F)});
    EXPECT_EQ(pointer(), std::pair(100, 169));
    open("window=" + std::to_string(window_));
    client_.moveWindow(window_, {-10, 100, 300, 200});
    send({move(20, 30)});
    EXPECT_EQ(pointer(), std::pair(10, 130));
    send({move(0, 30)});
    EXPECT_EQ(pointer(), std::pair(0, 130)) << "outside of the screen";
    client_.destroy(window_);
    send({move(100, 30), button(1, true, 5, 5), key('a', true), key('a', false)});
    EXPECT_EQ(pointer(), std::pair(0, 130));
    EXPECT_EQ(client_.state(), 0U);
}

TEST_F(ScreenInputTest, WheelTurnsByWholeNotches) {
    open("rect=64x64+100+100");
    const auto turned = [&] {
        std::vector<int> list;
        for (const Click& click : clicks()) {
            if (click.pressed) {
                list.push_back(click.number);
            }
        }
        return list;
    };
    send({wheel(0, 0.5F)});
    EXPECT_EQ(turned(), std::vector<int>{});
    send({wheel(0, 0.5F), wheel(0, -2), wheel(1, 0), wheel(-1, 0)});
    EXPECT_EQ(turned(), (std::vector<int>{4, 5, 5, 7, 6}));
    send({wheel(0, 1e30F)});
    EXPECT_LE(turned().size(), 100U);
}

TEST_F(ScreenInputTest, TouchIsThePointerWithItsLeftButton) {
    open();
    send({touch(5, true, 100, 100), touch(6, true, 300, 300), touch(5, true, 110, 100),
          touch(6, false, 300, 300), touch(5, false, 120, 100)});
    EXPECT_EQ(clicks(), (std::vector<Click>{{true, 1, 20, 40}, {false, 1, 40, 40}}));
    EXPECT_EQ(pointer(), std::pair(120, 100));
}

TEST_F(ScreenInputTest, FrameTellsTheInputBeforeIt) {
    ScreenSource source({}, "");
    const std::unique_ptr<InputInjector> injector = source.inputInjector();
    const Event never;
    CapturedFrame frame;
    ASSERT_EQ(captureNext(source, frame, never), Status::Ok);
    EXPECT_EQ(frame.inputSequence, 0U);
    const std::vector<ViewerInput> events{
        {.serial = 41, .viewer = 1, .viewerName = "a", .event = move(10, 10)},
        {.serial = 42, .viewer = 2, .viewerName = "b", .event = move(50, 60)}};
    injector->apply(events);
    ASSERT_EQ(captureNext(source, frame, never), Status::Ok);
    EXPECT_EQ(frame.inputSequence, 42U);
    EXPECT_EQ(pictureOf(frame), withPointer(server_.xwd(), client_.pointer()));
}

}  // namespace
}  // namespace verbcast::testing

// Several streams in one window: their places, which has focus, and what happens when one is lost.
#include <QJsonArray>

#include "tests/window/input/input_sender.h"
#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowStreams : public StreamsTest {};

TEST_F(WindowStreams, SixAreExactlyWhatWasSentWithEvenGaps) {
    open(pictures(6, kOfSix), {"--stats-json", file("stats.json")});
    for (int stream = 0; stream < 6; ++stream) {
        EXPECT_TRUE(shows(cell(stream, 3, 2, kOfSix), pictureOf(stream, kOfSix)))
            << stream << ": " << window_->errors();
    }
    const QImage screen = x_.screenshot();
    const QColor canvas(0x0e, 0x10, 0x13);
    for (int stream = 0; stream < 6; ++stream) {
        const QRect place = cell(stream, 3, 2, kOfSix);
        for (const QPoint& beside :
             {QPoint(place.left() - 1, place.center().y()), QPoint(place.right() + 1, place.center().y()),
              QPoint(place.center().x(), place.top() - 1), QPoint(place.center().x(), place.bottom() + 1)}) {
            EXPECT_EQ(screen.pixelColor(beside), canvas)
                << stream << ": " << beside.x() << ", " << beside.y();
        }
    }
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonArray streams = readJson(file("stats.json"))["streams"].toArray();
    ASSERT_EQ(streams.size(), 6);
    for (int stream = 0; stream < 6; ++stream) {
        const QJsonObject stats = streams[stream].toObject();
        EXPECT_EQ(stats["number"].toInt(), stream + 1);
        EXPECT_EQ(stats["name"].toString(), urlOf(stream));
        EXPECT_EQ(stats["frames_shown"].toInt(), 1);
        EXPECT_EQ(stats["width"].toInt(), kOfSix.width());
        EXPECT_EQ(stats["exit_reason"].toString(), "closed");
    }
}

TEST_F(WindowStreams, ANewPictureOfOneLeavesTheOthers) {
    open(pictures(4, kOfFour));
    for (int stream = 0; stream < 4; ++stream) {
        ASSERT_TRUE(shows(cell(stream, 2, 2, kOfFour), pictureOf(stream, kOfFour))) << window_->errors();
    }
    for (int seed = 50; seed < 53; ++seed) {
        const QImage next = testPicture(kOfFour, seed);
        sender(2)->show(next);
        EXPECT_TRUE(shows(cell(2, 2, 2, kOfFour), next));
        EXPECT_EQ(x_.screenshot().copy(cell(1, 2, 2, kOfFour)), pictureOf(1, kOfFour));
    }
}

TEST_F(WindowStreams, ALostOneDimsOnItsLastPictureWhileTheOthersGoOn) {
    open(pictures(4, kOfFour));
    for (int stream = 0; stream < 4; ++stream) {
        ASSERT_TRUE(shows(cell(stream, 2, 2, kOfFour), pictureOf(stream, kOfFour))) << window_->errors();
    }
    sender(1)->kill();
    const QRect lost = cell(1, 2, 2, kOfFour);
    const QImage picture = pictureOf(1, kOfFour);
    EXPECT_TRUE(isDimmed(lost, picture));
    for (const int other : {0, 2, 3}) {
        const QImage next = testPicture(kOfFour, 60 + other);
        sender(other)->show(next);
        EXPECT_TRUE(shows(cell(other, 2, 2, kOfFour), next)) << other;
    }
    startSender(1, picture);
    EXPECT_TRUE(shows(lost, picture)) << "it does not come back";
}

TEST_F(WindowStreams, OneThatChangesItsSizeIsLaidOutAnew) {
    open(pictures(2, kOfTwo));
    ASSERT_TRUE(shows(cell(0, 2, 1, kOfTwo), pictureOf(0, kOfTwo))) << window_->errors();
    ASSERT_TRUE(shows(cell(1, 2, 1, kOfTwo), pictureOf(1, kOfTwo)));
    sender(1).reset();
    const QSize upright(200, 708);
    startSender(1, pictureOf(1, upright));
    // Still two columns, now as high as the upright picture.
    const QSize cells(631, 708);
    const QRect second = cell(1, 2, 1, cells);
    const QRect place(second.left() + (cells.width() - upright.width()) / 2, second.top(), upright.width(),
                      upright.height());
    EXPECT_TRUE(shows(place, pictureOf(1, upright))) << window_->errors();
}

TEST_F(WindowStreams, DigitsShowOneAloneAndTabGoesOn) {
    open(flatPictures(3, {320, 180}));
    const QRect first = cell(0, 2, 2, kOfFour), second = cell(1, 2, 2, kOfFour);
    const QRect third(QPoint((1280 - kOfFour.width()) / 2, cell(2, 2, 2, kOfFour).top()), kOfFour);
    const auto showsAll = [&] { return showsFlat(first, 0) && showsFlat(second, 1) && showsFlat(third, 2); };
    ASSERT_TRUE(showsAll()) << window_->errors();
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("2");
    EXPECT_TRUE(showsFlat(kPictureArea, 1));
    x_.key("Tab");
    EXPECT_TRUE(showsFlat(kPictureArea, 2));
    x_.key("Tab");
    EXPECT_TRUE(showsFlat(kPictureArea, 0));
    x_.key("shift+Tab");
    EXPECT_TRUE(showsFlat(kPictureArea, 2));
    x_.key("9");  // there is no such stream
    x_.key("3");
    EXPECT_TRUE(showsAll());
}

TEST_F(WindowStreams, TheLayoutIsChosenAndChanged) {
    open(flatPictures(2, {320, 180}), {"--layout", "pip"});
    const QRect inset(1280 - kGap - 315, 720 - kGap - 177, 315, 177);  // a quarter of the size without gaps
    EXPECT_TRUE(showsFlat(inset, 1)) << window_->errors();
    EXPECT_TRUE(showsFlat({0, 0, 1280, inset.top()}, 0));
    EXPECT_TRUE(showsFlat({0, 0, inset.left(), 720}, 0));
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("Tab");
    EXPECT_TRUE(showsFlat(inset, 0)) << "the one in focus is large";
    x_.key("shift+Tab");

    x_.key("l");  // wipe, with a two-pixel line in the middle
    EXPECT_TRUE(showsFlat({0, 0, 639, 720}, 0));
    EXPECT_TRUE(showsFlat({641, 0, 639, 720}, 1));
    x_.movePointer(641, 300);
    x_.input({"mousedown", "1"});
    x_.movePointer(500, 300);
    x_.movePointer(320, 300);
    x_.input({"mouseup", "1"});
    x_.movePointer(330, 400);
    EXPECT_TRUE(showsFlat({0, 0, 319, 720}, 0)) << "the line is not where it was dragged";
    EXPECT_TRUE(showsFlat({321, 0, 959, 720}, 1));

    x_.key("l");  // difference: 70 and 60 apart, amplified eight times
    const auto difference = [&] { return x_.screenshot().pixelColor(200, 500); };
    const auto numbers =
        [&] {  // counts pixels in the full text colour, some 200; which ones depends on the digits
            return pixels({300, 10, 680, 90}, qRgb(0xe2, 0xe6, 0xec));
        };
    EXPECT_TRUE(eventually([&] { return difference() == QColor(255, 255, 0); }))
        << difference().name().toStdString();
    EXPECT_TRUE(eventually([&] { return numbers() > 100; })) << numbers() << ": " << window_->errors();

    x_.key("l");  // free, initially arranged as a grid
    EXPECT_TRUE(showsFlat(cell(0, 2, 1, kOfTwo), 0));
    EXPECT_TRUE(showsFlat(cell(1, 2, 1, kOfTwo), 1));
    for (int stereo = 0; stereo < 4; ++stereo) {
        x_.key(
            "l");  // tested in tests/window/streams/window_stereo_test.cpp; page flipping is unavailable here
    }
    x_.key("l");
    EXPECT_TRUE(showsFlat(cell(0, 2, 1, kOfTwo), 0));
    EXPECT_TRUE(showsFlat(cell(1, 2, 1, kOfTwo), 1));
}

// Input goes to the focused stream, which has a frame around it; a key is released where it was pressed.
TEST_F(WindowStreams, InputGoesToTheOneInFocusAlone) {
    InputSender first(true), second(true);
    window_ = std::make_unique<Verbcast>(QStringList{"view", first.url(), second.url(), "--input"}, folder(),
                                         x_.display());
    x_.movePointer(300, 360);
    const auto hasPicture = [&](int stream) {
        (stream == 0 ? first : second).submit();
        return x_.screenshot().pixelColor(cell(stream, 2, 1, kOfTwo).center()) == QColor(200, 200, 200);
    };
    ASSERT_TRUE(eventually([&] { return hasPicture(0) && hasPicture(1); })) << window_->errors();
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    const auto has = [](InputSender& sender, std::uint32_t keysym) {
        const auto& events = sender.take();
        return std::any_of(events.begin(), events.end(), [&](const ViewerInput& input) {
            return input.event.kind == InputKind::Key && input.event.code == keysym && input.event.pressed;
        });
    };
    ASSERT_TRUE(eventually([&] {
        x_.key("a");
        return has(first, 'a');
    })) << window_->errors();
    EXPECT_FALSE(has(second, 'a'));
    const auto framed = [&](int stream) {
        const QRect place = cell(stream, 2, 1, kOfTwo);
        const QImage screen = x_.screenshot();
        const QColor accent(0x5a, 0xc8, 0xb4);
        return screen.pixelColor(place.left() - 1, place.center().y()) == accent &&
               screen.pixelColor(place.center().x(), place.bottom() + 1) == accent;
    };
    EXPECT_TRUE(eventually([&] { return framed(0) && !framed(1); }));

    // With Right Ctrl held, keys are the viewer's own: here Tab.
    x_.input({"keydown", "b", "keydown", "105", "key", "Tab", "keyup", "105"});
    EXPECT_TRUE(eventually([&] { return framed(1) && !framed(0); }));
    EXPECT_TRUE(eventually([&] {
        const auto& events = first.take();
        return std::any_of(events.begin(), events.end(), [](const ViewerInput& input) {
            return input.event.kind == InputKind::ReleaseAll;
        });
    })) << "b is still down there";
    x_.input({"keyup", "b"});
    first.forget();
    ASSERT_TRUE(eventually([&] {
        x_.key("c");
        return has(second, 'c');
    })) << window_->errors();
    EXPECT_FALSE(has(first, 'c'));
}

TEST_F(WindowStreams, OfSeveralOnlyAllOverEndsTheWindow) {
    open(pictures(2, kOfTwo), {"--once", "--stats-json", file("stats.json")});
    ASSERT_TRUE(shows(cell(0, 2, 1, kOfTwo), pictureOf(0, kOfTwo))) << window_->errors();
    ASSERT_TRUE(shows(cell(1, 2, 1, kOfTwo), pictureOf(1, kOfTwo)));
    sender(0)->finish();
    const QImage next = testPicture(kOfTwo, 70);
    sender(1)->show(next);
    EXPECT_TRUE(shows(cell(1, 2, 1, kOfTwo), next));
    EXPECT_TRUE(window_->running());
    sender(1)->kill();
    EXPECT_EQ(window_->exitCode(), 4) << window_->errors();
    const QJsonObject stats = readJson(file("stats.json"));
    EXPECT_EQ(stats["exit_reason"].toString(), "lost");
    EXPECT_EQ(stats["streams"][0]["exit_reason"].toString(), "end of stream");
    EXPECT_EQ(stats["streams"][1]["exit_reason"].toString(), "lost");
}

}  // namespace
}  // namespace verbcast::testing

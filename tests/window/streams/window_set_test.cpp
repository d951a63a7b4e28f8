// Adding streams to a running window, removing them, and saving the session.
#include <QJsonArray>

#include "tests/window/drag_source.h"
#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowSet : public StreamsTest {
  protected:
    /// Opens a window with the first stream, and starts senders for the others.
    void openFirst(int senders) {
        open(flatPictures(1, kOfTwo));
        for (int stream = 1; stream < senders; ++stream) {
            startSender(stream, flatPicture(stream, kOfTwo));
        }
        ASSERT_TRUE(alone(0)) << window_->errors();
        ASSERT_TRUE(focused());
    }
    void type(const QString& text) { x_.input({"type", "--delay", "2", text}); }
    bool dialog(const QString& title) {
        return eventually([&] { return x_.hasWindow(title) && x_.focus(title); });
    }
    const QRect left_ = cell(0, 2, 1, kOfTwo), right_ = cell(1, 2, 1, kOfTwo);
};

TEST_F(WindowSet, AStreamIsAddedByTheDialogAndRemovedByAKey) {
    openFirst(2);
    x_.key("a");
    ASSERT_TRUE(dialog("Verbcast - Add a stream"));
    type(urlOf(1));
    x_.key("Return");
    ASSERT_TRUE(showsFlat(left_, 0)) << window_->errors();
    ASSERT_TRUE(showsFlat(right_, 1)) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("Tab");  // the new one had focus
    x_.key("Delete");
    EXPECT_TRUE(alone(1));
    // Removing the last one leaves room for another.
    x_.key("Delete");
    EXPECT_TRUE(eventually(
        [&] { return x_.screenshot().pixelColor(30, 30) != flatPicture(1, kOfTwo).pixelColor(0, 0); }));
    EXPECT_TRUE(window_->running());
    x_.key("a");
    ASSERT_TRUE(dialog("Verbcast - Add a stream"));
    type(urlOf(0));
    x_.key("Return");
    sender(0)->show(flatPicture(0, kOfTwo));  // needed because each picture is sent only once
    EXPECT_TRUE(alone(0));
}

TEST_F(WindowSet, AddressesAreDroppedOntoTheWindow) {
    openFirst(3);
    ASSERT_TRUE(
        dragAndDrop(x_.display(), {600, 300}, "text/uri-list", ("# one\r\n" + urlOf(1) + "\r\n").toUtf8()));
    EXPECT_TRUE(showsFlat(left_, 0)) << window_->errors();
    EXPECT_TRUE(showsFlat(right_, 1)) << window_->errors();
    ASSERT_TRUE(dragAndDrop(x_.display(), {600, 300}, "text/plain", urlOf(2).toUtf8()));
    const QRect third(QPoint((1280 - kOfFour.width()) / 2, cell(2, 2, 2, kOfFour).top()), kOfFour);
    EXPECT_TRUE(showsFlat(third, 2)) << window_->errors();
    EXPECT_FALSE(dragAndDrop(x_.display(), {600, 300}, "image/png", "no address"));
    ASSERT_TRUE(dragAndDrop(x_.display(), {600, 300}, "text/uri-list", "file:///films/a%20clip.mp4\r\n"));
    EXPECT_TRUE(dialog("Verbcast - Send a file")) << "a film is no address: it is offered to send it";
    x_.key("Escape");
}

TEST_F(WindowSet, TheMenuAddsRecentOnesAndRemoves) {
    openFirst(2);
    x_.key("a");
    ASSERT_TRUE(dialog("Verbcast - Add a stream"));
    type(urlOf(1));
    x_.key("Return");
    ASSERT_TRUE(showsFlat(right_, 1)) << window_->errors();
    ASSERT_TRUE(focused());
    x_.movePointer(right_.center().x(), right_.center().y());
    x_.input({"click", "3"});
    x_.movePointer(2, 300);
    x_.key("r");  // Remove
    EXPECT_TRUE(alone(0)) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("Menu");
    x_.key("c");  // recent ones
    x_.key("Return");
    sender(1)->show(flatPicture(1, kOfTwo));
    EXPECT_TRUE(showsFlat(right_, 1)) << window_->errors();
}

TEST_F(WindowSet, TheSessionHoldsTheSet) {
    open(flatPictures(2, kOfTwo),
         {"--layout", "free", "--panes", "2:0,0,100;1:25,50,50,80", "--align", "capture", "--delay", "12.5"});
    startSender(2, flatPicture(2, kOfTwo));
    ASSERT_TRUE(showsFlat({0, 0, 1280, 300}, 1)) << window_->errors();
    ASSERT_TRUE(dragAndDrop(x_.display(), {600, 100}, "text/plain", urlOf(2).toUtf8()));
    ASSERT_TRUE(eventually([&] {
        return x_.screenshot().pixelColor(640, 260) == flatPicture(2, kOfTwo).pixelColor(0, 0);
    })) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("ctrl+s");
    ASSERT_TRUE(dialog("Verbcast - Save the session"));
    type(file("wall"));
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return QFile::exists(file("wall.verbcast")); }));
    const QJsonObject view = readJson(file("wall.verbcast"))["view"].toObject();
    EXPECT_EQ(view["address"].toString(), QStringList({urlOf(0), urlOf(1), urlOf(2)}).join(' '));
    EXPECT_EQ(view["layout"].toString(), "free");
    EXPECT_EQ(view["align"].toString(), "capture");
    EXPECT_EQ(view["delay"].toString(), "12.5");
    EXPECT_EQ(view["panes"].toString().section(';', 0, 1), "2:0,0,100;1:25,50,50,80");
}

}  // namespace
}  // namespace verbcast::testing

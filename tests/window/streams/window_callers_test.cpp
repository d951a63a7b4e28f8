// Several senders connect to one window, each with its own stream.
#include <QJsonArray>

#include "core/stream/broadcast.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowCallers : public StreamsTest {
  protected:
    void listen(const QString& streams, const QStringList& more = {}) {
        window_ = std::make_unique<Verbcast>(
            QStringList{"view", "--listen", url(), "--streams", streams, "--stats-json", file("stats.json")} +
                more,
            folder(), x_.display());
        x_.movePointer(2, 300);
    }
    std::unique_ptr<PictureSender> call(const QImage& picture) {
        auto sender = PictureSender::calling(picture.size(), url(), folder());
        sender->show(picture);
        return sender;
    }
};

TEST_F(WindowCallers, EachHasAPlaceAndOneTooManyIsToldWhy) {
    listen("2");
    const QImage first = flatPicture(0, kOfTwo), second = pictureOf(1, kOfTwo);
    const auto one = call(first);
    ASSERT_TRUE(alone(0)) << window_->errors();
    const auto two = call(second);
    ASSERT_TRUE(shows(cell(0, 2, 1, kOfTwo), first)) << window_->errors();
    ASSERT_TRUE(shows(cell(1, 2, 1, kOfTwo), second)) << window_->errors();

    const auto third = PictureSender::calling(kOfTwo, url(), folder());
    third->show(first);
    EXPECT_TRUE(eventually([&] {
        return third->program().errors().find("this viewer already shows as many streams as it may: 2") !=
               std::string::npos;
    })) << third->program().errors();
    EXPECT_EQ(x_.screenshot().copy(cell(0, 2, 1, kOfTwo)), first);

    ASSERT_TRUE(focused());
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonArray streams = readJson(file("stats.json"))["streams"].toArray();
    ASSERT_EQ(streams.size(), 2);
    EXPECT_EQ(streams[1].toObject()["number"].toInt(), 2);
    EXPECT_EQ(streams[1].toObject()["frames_shown"].toInt(), 1);
    EXPECT_NE(streams[0].toObject()["name"].toString(), "");
}

// A stream that was lost or ended by its sender keeps its place and its last picture.
TEST_F(WindowCallers, OneComesBackIntoItsPlace) {
    listen("2");
    const QImage first = flatPicture(0, kOfTwo), second = flatPicture(1, kOfTwo);
    auto one = call(first);
    ASSERT_TRUE(alone(0)) << window_->errors();
    const auto two = call(second);
    const QRect left = cell(0, 2, 1, kOfTwo), right = cell(1, 2, 1, kOfTwo);
    ASSERT_TRUE(shows(left, first) && shows(right, second)) << window_->errors();
    one->kill();
    EXPECT_TRUE(isDimmed(left, first));
    const QImage again = testPicture(kOfTwo, 30);
    one = call(again);
    EXPECT_TRUE(shows(left, again)) << window_->errors();
    one->finish();
    EXPECT_TRUE(isDimmed(left, again));
    EXPECT_EQ(x_.screenshot().copy(right), second);
    one = call(first);
    EXPECT_TRUE(shows(left, first)) << window_->errors();
    EXPECT_EQ(x_.screenshot().copy(right), second);
}

TEST_F(WindowCallers, WhoIsRemovedStaysAwayAndMakesRoom) {
    listen("2");
    const auto one = call(flatPicture(0, kOfTwo));
    ASSERT_TRUE(alone(0)) << window_->errors();
    const auto two = call(flatPicture(1, kOfTwo));
    ASSERT_TRUE(showsFlat(cell(1, 2, 1, kOfTwo), 1)) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("o");
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast - Connect"); }));
    for (const char* key : {"ctrl+a", "ctrl+c", "Escape"}) {
        x_.key(key);
    }
    ASSERT_TRUE(eventually([&] { return !x_.hasWindow("Verbcast - Connect"); }));
    EXPECT_EQ(x_.clipboard(), "") << "one that called has no address to connect to";
    ASSERT_TRUE(focused());
    x_.key("Delete");
    EXPECT_TRUE(alone(1));
    one->show(flatPicture(0, kOfTwo));  // the sender now notices the removal
    EXPECT_TRUE(eventually([&] {
        return one->program().errors().find("this viewer has closed the stream") != std::string::npos;
    })) << one->program().errors();
    const auto three = call(flatPicture(2, kOfTwo));
    EXPECT_TRUE(showsFlat(cell(1, 2, 1, kOfTwo), 2)) << window_->errors();
    EXPECT_TRUE(showsFlat(cell(0, 2, 1, kOfTwo), 1));
}

TEST_F(WindowCallers, WhoIsLostBeforeItsFirstFrameMayComeBack) {
    listen("2");
    SenderOptions options;
    options.listen = false;
    options.url = parseUrl(url().toStdString());
    Broadcast sender(options);
    ASSERT_EQ(sender.waitForReceiver(std::chrono::seconds(20), Event()), Status::Ok) << window_->errors();
    cut(connectedSockets(options.url.scheme), Cut::Abrupt);
    EXPECT_TRUE(eventually([&] { return sender.stats().connections == 2; })) << sender.lastEnd().reason;
}

}  // namespace
}  // namespace verbcast::testing

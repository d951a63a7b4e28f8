// Sound in the viewer's window, which plays it nowhere, in real time.
#include <QJsonArray>
#include <cmath>

#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowSoundTest : public StreamsTest {
  protected:
    Verbcast flashSender(const QString& address, const QStringList& more = {}) const {
        return Verbcast(
            QStringList{"send", "pattern:flash", "--size", "320x180", "--fps", "30", "--listen", address} +
                more,
            folder());
    }
    QStringList playing(const QStringList& more = {}) const {
        return QStringList{"--audio", "null", "--stats-json", file("stats.json")} + more;
    }
    QJsonObject sound() const { return readJson(file("stats.json"))["sound"].toObject(); }
    static QJsonObject playback(const QJsonObject& sound) { return sound["playback"].toObject(); }
    bool hasPill() const { return pixels({0, 720, 400, 80}, qRgb(0xe3, 0xb3, 0x6a)) > 30; }
    bool showsPill() {
        return eventually([&] { return hasPill(); });
    }
    QString streamsOf(const QString& path) const {
        QProcess probe;
        probe.start("ffprobe",
                    {"-v", "error", "-show_entries", "stream=codec_type,channels", "-of", "csv=p=0", path});
        EXPECT_TRUE(probe.waitForFinished());
        return QString::fromUtf8(probe.readAllStandardOutput()).trimmed();
    }
};

TEST_F(WindowSoundTest, IsPlayedInStepWithItsPictures) {
    const Verbcast sender = flashSender(url());
    openWindow(playing({"--seconds", "1.5"}));
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonObject sound = this->sound();
    EXPECT_EQ(sound["rate"].toInt(), 48000);
    EXPECT_GT(sound["blocks_received"].toInt(), 100);
    EXPECT_EQ(sound["blocks_lost"].toInt(), 0);
    EXPECT_GT(sound["delay_us"].toObject()["count"].toInt(), 100);
    const QJsonObject played = playback(sound);
    EXPECT_TRUE(played["sounding"].toBool());
    EXPECT_FALSE(played["muted"].toBool());
    EXPECT_EQ(played["problem"].toString(), "");
    EXPECT_GT(played["offset_us"].toObject()["count"].toInt(), 10);
    EXPECT_LT(std::abs(played["offset_ms"].toDouble()), 100) << "of a busy machine";
}

TEST_F(WindowSoundTest, MIsForMuteAndArrowsAreForTheVolume) {
    const Verbcast sender = flashSender(url());
    openWindow(playing());
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("m");
    EXPECT_TRUE(showsPill());
    x_.key("Up");
    EXPECT_TRUE(eventually([&] { return !hasPill(); })) << "louder is not mute";
    x_.key("m");
    EXPECT_TRUE(showsPill());
    x_.key("q");
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_TRUE(playback(sound())["muted"].toBool());
}

TEST_F(WindowSoundTest, NeedsNoDeviceToBeRecorded) {
    const Verbcast sender = flashSender(url(), {"--frames", "45", "--policy", "lossless", "--once"});
    openWindow({"--audio", "no-such-device", "--once", "--output", file("take.mkv"), "--stats-json",
                file("stats.json")});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_EQ(streamsOf(file("take.mkv")), "video\naudio,2");
    EXPECT_NE(playback(sound())["problem"].toString().indexOf("no-such-device"), -1);
    const std::string said = window_->errors();
    const std::size_t once = said.find("no-such-device");
    ASSERT_NE(once, std::string::npos) << said;
    EXPECT_EQ(said.find("no sound is heard", said.find("no sound is heard") + 1), std::string::npos) << said;
}

TEST_F(WindowSoundTest, IsThatOfTheStreamInFocus) {
    const Verbcast first = flashSender(urlOf(0));
    const Verbcast second = flashSender(urlOf(1));
    window_ = std::make_unique<Verbcast>(
        QStringList{"view", urlOf(0), urlOf(1)} + playing({"--seconds", "2"}), folder(), x_.display());
    ASSERT_TRUE(focused());
    x_.key("Tab");
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonArray streams = readJson(file("stats.json"))["streams"].toArray();
    ASSERT_EQ(streams.size(), 2);
    const QJsonObject left = playback(streams[0].toObject()["sound"].toObject());
    EXPECT_TRUE(left.isEmpty() || left["muted"].toBool()) << "it may not have begun before";
    const QJsonObject heard = playback(streams[1].toObject()["sound"].toObject());
    EXPECT_TRUE(heard.contains("muted"));
    EXPECT_FALSE(heard["muted"].toBool());
}

TEST_F(WindowSoundTest, IsNotAskedForIfNobodyWantsToHearIt) {
    const Verbcast sender = flashSender(url());
    openWindow({"--audio", "none", "--frames", "10", "--stats-json", file("stats.json")});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_FALSE(readJson(file("stats.json")).contains("sound"));
}

}  // namespace
}  // namespace verbcast::testing

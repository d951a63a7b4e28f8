// The window's texts, without a window.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <csignal>

#include "app/window/parts/core_words.h"
#include "app/window/parts/message_overlay.h"
#include "app/window/picture/snapshot.h"
#include "app/window/stats/stats_text.h"
#include "app/window/stats/summary.h"
#include "app/window/stats/throughput_plot.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;

ReceiverStatus statusOf(StreamState state, std::string text = "", std::string reason = "") {
    ReceiverStatus status;
    status.state = state;
    status.text = std::move(text);
    status.senderReason = std::move(reason);
    return status;
}

TEST(DurationText, ChoosesTheUnit) {
    EXPECT_EQ(durationText(85), "85 \u00b5s");
    EXPECT_EQ(durationText(1240), "1.24 ms");
    EXPECT_EQ(durationText(12'340), "12.3 ms");
    EXPECT_EQ(durationText(123'400), "123 ms");
    EXPECT_EQ(durationText(2'100'000), "2.10 s");
}

TEST(LatencyText, IsInOneUnitAndLeavesOutWhatTooFewFramesTell) {
    Percentiles latency{.count = 100, .p50 = 85, .p99 = 5570, .p999 = 9000, .max = 9000};
    EXPECT_EQ(latencyText(latency), "0.09 / 5.57 ms");
    latency.count = 99;
    EXPECT_EQ(latencyText(latency), "85 / \u2013 \u00b5s");
    latency.count = 0;
    EXPECT_EQ(latencyText(latency), "\u2013");
    EXPECT_EQ(latencyText(85, std::nullopt), "85 / \u2013 \u00b5s");
}

TEST(ThroughputHistory, GivesTheRateOfTheLastSecond) {
    ThroughputHistory history;
    for (int quarter = 0; quarter <= 40; ++quarter) {
        const std::uint64_t frames = 15u * static_cast<std::uint64_t>(quarter);
        history.add(quarter * kSecond / 4, frames * 33'177'600, frames);
    }
    EXPECT_NEAR(history.latest().framesPerSecond, 60, 1e-9);
    EXPECT_NEAR(history.latest().gigabytesPerSecond, 1.990656, 1e-9);
    for (int quarter = 41; quarter <= 45; ++quarter) {
        history.add(quarter * kSecond / 4, 600u * 33'177'600, 600);
    }
    EXPECT_DOUBLE_EQ(history.latest().framesPerSecond, 0);
}

TEST(ThroughputHistory, IgnoresSamplesThatAreTooClose) {
    ThroughputHistory history;
    history.add(0, 0, 0);
    history.add(kSecond / 100, 1000, 10);
    EXPECT_TRUE(history.points().empty());
}

TEST(ThroughputHistory, ForgetsAfterAMinuteAndWhenCountersFall) {
    ThroughputHistory history;
    for (int second = 0; second <= 100; ++second) {
        history.add(second * kSecond, 0, static_cast<std::uint64_t>(second));
    }
    EXPECT_EQ(history.points().front().at, 40 * kSecond);
    history.add(101 * kSecond, 0, 3);
    EXPECT_TRUE(history.points().empty());
}

TEST(AxisEnd, IsRoundAndNotBelowTheValue) {
    EXPECT_DOUBLE_EQ(axisEnd(0), 1);
    EXPECT_DOUBLE_EQ(axisEnd(1.99), 2);
    EXPECT_DOUBLE_EQ(axisEnd(2), 2);
    EXPECT_DOUBLE_EQ(axisEnd(59.94), 60);
    EXPECT_DOUBLE_EQ(axisEnd(85), 100);
    EXPECT_DOUBLE_EQ(axisEnd(0.0734), 0.08);
}

TEST(StreamMessage, SaysSignalLostUntilFramesComeAgain) {
    StreamMessage message;
    EXPECT_EQ(message.update(statusOf(StreamState::Streaming), 0), std::nullopt);
    const auto lost =
        message.update(statusOf(StreamState::Lost, "connecting to a", "no sign of life"), kSecond);
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->title, "Signal lost");
    EXPECT_TRUE(lost->text.contains("no sign of life")) << lost->text.toStdString();
    const auto trying = message.update(statusOf(StreamState::Connecting, "connecting to a"), 13 * kSecond);
    ASSERT_TRUE(trying);
    EXPECT_EQ(trying->title, "Signal lost");
    EXPECT_TRUE(trying->text.startsWith("12 s ago")) << trying->text.toStdString();
    EXPECT_EQ(trying->remedy, "Connecting to a");
    EXPECT_EQ(message.update(statusOf(StreamState::Streaming), 14 * kSecond), std::nullopt);
    EXPECT_EQ(message.update(statusOf(StreamState::Connecting, "connecting"), 15 * kSecond)->title,
              "Connecting");
}

/// Whoever waits for an address that is wrong is to know since when, and what to look at.
TEST(StreamMessage, SaysHowLongItHasTriedToConnect) {
    StreamMessage message;
    const auto connecting = [&](TimestampNs now) {
        return message.update(statusOf(StreamState::Connecting, "nobody is listening on tcp://a:7423"), now)
            .value_or(Message{});
    };
    EXPECT_EQ(connecting(kSecond).remedy, "");
    EXPECT_TRUE(connecting(66 * kSecond).remedy.startsWith("Trying for 1 min 5 s."))
        << connecting(66 * kSecond).remedy.toStdString();
    EXPECT_EQ(connecting(66 * kSecond).text, "Nobody is listening on tcp://a:7423");
    EXPECT_EQ(message.update(statusOf(StreamState::Streaming), 67 * kSecond), std::nullopt);
    EXPECT_EQ(connecting(68 * kSecond).remedy, "") << "since the last picture";
}

TEST(Sentence, LeavesAddressesOptionsAndFilesAsTheyAre) {
    EXPECT_EQ(sentence("port 1 is taken"), "Port 1 is taken");
    EXPECT_EQ(sentence("interrupted"), "Interrupted");
    for (const char* words : {"tcp://a:7423: refused", "--fps 0: a rate expected", "clip.mp4: no such file",
                              "/dev/video0 is busy", "host:7423 answers"}) {
        EXPECT_EQ(sentence(words), words);
    }
}

TEST(StreamMessage, TellsAnEndFromALoss) {
    StreamMessage message;
    const auto ended = message.update(statusOf(StreamState::Ended, "", "end of file"), 0);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->title, "Stream ended");
    EXPECT_FALSE(ended->alarming);
    const auto later = message.update(statusOf(StreamState::Lost, "refused", "refused"), kSecond);
    ASSERT_TRUE(later);
    EXPECT_EQ(later->title, "Stream ended") << "what has ended cannot be lost";
    EXPECT_EQ(later->text, "End of file");
    EXPECT_FALSE(later->alarming);
}

TEST(ErrorMessage, CarriesTheRemedy) {
    const Message message = errorMessage(Error(ErrorKind::Network, "port 1 is taken", "use another"));
    EXPECT_EQ(message.text, "Port 1 is taken");
    EXPECT_EQ(message.remedy, "Use another");
}

TEST(Summary, CountsWhatWasSentAndShown) {
    StreamStats stats;
    EXPECT_EQ(summaryLine(stats, {}), "no frame arrived");
    stats.transport = "shm";
    stats.framesTransferred = 3599;
    stats.framesShown = 3598;
    stats.framesDropped = 1;
    stats.framesSkipped = 1;
    stats.bytes = 3599ull * 33'177'600;
    stats.seconds = 59.98;
    stats.latency = {.count = 3599, .p50 = 85, .p99 = 240, .p999 = 0, .max = 0};
    ReceiverStatus status;
    status.transportReason = "same host";
    status.trust.protection = Protection::Encrypted;
    const std::string line = summaryLine(stats, status);
    EXPECT_NE(line.find("shown 3598 of 3600 frames (1 dropped, 1 skipped), "), std::string::npos) << line;
    EXPECT_NE(line.find("latency p50 85 us p99 240 us, shm (same host), encrypted"), std::string::npos)
        << line;
    stats.latency.count = 99;
    EXPECT_NE(summaryLine(stats, status).find("latency p50 85 us, shm"), std::string::npos)
        << summaryLine(stats, status) << ": 99 frames tell no 99th percentile";
}

TEST(Summary, CountsOneFrameAsOne) {
    StreamStats stats;
    stats.framesTransferred = stats.framesShown = 1;
    EXPECT_NE(summaryLine(stats, {}).find("shown 1 of 1 frame ("), std::string::npos)
        << summaryLine(stats, {});
    RecordingStatus recording;
    recording.bytes = 85'000'000;
    recording.frames = 1;
    EXPECT_EQ(recordingLine("take.nut", recording), "recorded 1 frame in take.nut (85 MB)");
    recording.frames = 2;
    EXPECT_EQ(recordingLine("-", recording), "recorded 2 frames in standard output (85 MB)");
    recording.leftOut = 1;
    EXPECT_EQ(missingLine("take.nut", recording, 0),
              "1 frame is missing in take.nut: 0 dropped on the way, 1 arrived while writing was behind or "
              "had ended; "
              "send with --policy lossless");
    recording.leftOut = 0;
    stats.framesDropped = 2;
    EXPECT_EQ(missingLine("take.nut", recording, stats.framesDropped),
              "2 frames are missing in take.nut: 2 dropped on the way; send with --policy lossless");
}

TEST(Snapshot, NeverOverwrites) {
    const QTemporaryDir folder;
    const RgbaImage image{.width = 2, .height = 1, .pixels = {1, 2, 3, 0, 250, 251, 252, 255}};
    const QDateTime when(QDate(2024, 1, 31), QTime(23, 59, 58));
    const QString name = snapshotName(when, 42);
    EXPECT_EQ(name, "verbcast-20240131-235958-frame42.png");
    const QString first = saveNewPng(image, folder.path(), name);
    const QString second = saveNewPng(image, folder.path(), name);
    EXPECT_EQ(first, folder.filePath(name));
    EXPECT_EQ(second, folder.filePath("verbcast-20240131-235958-frame42-2.png"));
    const QImage read(first);
    EXPECT_EQ(read.size(), QSize(2, 1));
    EXPECT_EQ(read.pixelColor(0, 0), QColor(1, 2, 3)) << "alpha is not part of the picture";
    EXPECT_EQ(read.pixelColor(1, 0), QColor(250, 251, 252));
}

TEST(Snapshot, FollowsNoLinkThatOthersMayHavePlaced) {
    const QTemporaryDir folder;
    const RgbaImage image{.width = 1, .height = 1, .pixels = {0, 0, 0, 255}};
    savePng(image, folder.filePath("before.png"));
    ASSERT_TRUE(QFile::link(folder.filePath("before.png"), folder.filePath("link.png")));
    EXPECT_NO_THROW(savePng(image, folder.filePath("link.png"))) << "our own";
    ASSERT_EQ(::chmod(folder.path().toUtf8().constData(), 01777), 0);
    EXPECT_THROW(savePng(image, folder.filePath("link.png")), Error);
}

TEST(Snapshot, SaysWhereItCannotWrite) {
    const RgbaImage image{.width = 1, .height = 1, .pixels = {0, 0, 0, 255}};
    try {
        savePng(image, "/nonexistent/place/a.png");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_NE(std::string(error.what()).find("/nonexistent/place/a.png"), std::string::npos);
    }
    EXPECT_THROW(saveNewPng(image, "/nonexistent/place", "a.png"), Error);
}

TEST(Snapshot, LeavesNoPartOfOneThatDoesNotFit) {
    const QTemporaryDir folder;
    const RgbaImage image{.width = 2, .height = 1, .pixels = {1, 2, 3, 0, 250, 251, 252, 255}};
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{.rlim_cur = 16, .rlim_max = before.rlim_max};
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(saveNewPng(image, folder.path(), "a.png"), Error);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(QDir(folder.path()).isEmpty());
}

}  // namespace
}  // namespace verbcast::testing

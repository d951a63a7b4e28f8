// A recorder whose reader is too slow or disconnects, or whose sound does not keep up with the pictures.
#include "app/view/recording/recorder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "core/memory/frame_pool.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class RecorderTest : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kFrames = 10;

    RecorderTest() {
        ::signal(SIGPIPE, SIG_IGN);
        format_->width = 1024;  // a frame is larger than a pipe
        format_->height = 1024;
        format_->pixelFormat = PixelFormat::rgba;
        layOutPlanes(*format_, 4, 4);
        pool_ =
            FramePool::create({.slotBytes = format_->payloadBytes, .slotCount = kFrames, .hugePages = false});
        EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
        reading_.reset(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }

    void putAll(Recorder& recorder, bool lossless) {
        for (std::uint32_t i = 0; i < kFrames; ++i) {
            ReceivedFrame frame;
            frame.lease = *pool_->acquire(10s);
            frame.format = format_;
            frame.info.pts = i;
            frame.lossless = lossless;
            recorder.put(frame, false, stop_.get_token());
        }
    }

    /// Reads to the end and returns the number of bytes.
    std::uint64_t readAll() const {
        ::fcntl(reading_.get(), F_SETFL, 0);
        std::uint64_t read = 0;
        std::array<char, 65536> buffer;
        for (ssize_t got = 0; (got = ::read(reading_.get(), buffer.data(), buffer.size())) > 0;) {
            read += static_cast<std::uint64_t>(got);
        }
        return read;
    }

    QTemporaryDir folder_;
    std::string path_ = folder_.filePath("take.raw").toStdString();
    std::shared_ptr<VideoFormat> format_ = std::make_shared<VideoFormat>();
    std::shared_ptr<FramePool> pool_;
    UniqueFd reading_;
    std::stop_source stop_;
};

TEST_F(RecorderTest, FramesOfALiveStreamAreLeftOutAndCounted) {
    Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
    putAll(recorder, false);
    EXPECT_GE(recorder.status().leftOut, kFrames - 3) << "one is being written, and two may wait";
    EXPECT_NO_THROW(recorder.finish(0ms)) << "the reader is still there";
    EXPECT_EQ(recorder.status().problem, "");
    EXPECT_EQ(recorder.status().leftOut, kFrames);
    EXPECT_EQ(recorder.status().frames, 0U);
}

TEST_F(RecorderTest, WaitingFramesThatTheirSenderTakesBackAreLeftOut) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd sender(ends[0]);
    std::vector<UniqueFd> deathSockets;
    deathSockets.emplace_back(ends[1]);
    const auto theirs = FramePool::mapPeer(UniqueFd(::dup(pool_->memory()->descriptor())), pool_->slotBytes(),
                                           kFrames, std::move(deathSockets));
    std::uint64_t read = 0;
    std::jthread reader;
    {
        Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
        for (std::uint32_t slot = 0; slot < kFrames; ++slot) {
            ReceivedFrame frame;
            frame.lease = *theirs->adopt(slot);
            frame.format = format_;
            recorder.put(frame, false, stop_.get_token());
        }
        pollfd begun{reading_.get(), POLLIN, 0};
        ASSERT_EQ(::poll(&begun, 1, 10'000), 1) << "the first is being written";
        FramePool::takeBack(sender.get());
        reader = std::jthread([this, &read] { read = readAll(); });
        recorder.finish(60s);
        EXPECT_EQ(recorder.status().frames, 1U);
        EXPECT_EQ(recorder.status().leftOut, kFrames - 1);
    }
    reader.join();
    EXPECT_EQ(read, format_->payloadBytes);
}

TEST_F(RecorderTest, AnotherFrameTakesThePlaceOfOneThatWasTakenBack) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd sender(ends[0]);
    std::vector<UniqueFd> deathSockets;
    deathSockets.emplace_back(ends[1]);
    const auto theirs = FramePool::mapPeer(UniqueFd(::dup(pool_->memory()->descriptor())), pool_->slotBytes(),
                                           kFrames, std::move(deathSockets));
    const auto put = [this](Recorder& recorder, FrameLease lease) {
        ReceivedFrame frame;
        frame.lease = std::move(lease);
        frame.format = format_;
        frame.lossless = true;
        recorder.put(frame, false, stop_.get_token());
    };
    std::jthread reader;
    Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}, .frames = 2});
    put(recorder, *theirs->adopt(0));
    pollfd begun{reading_.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&begun, 1, 10'000), 1) << "the first is being written";
    put(recorder, *theirs->adopt(1));
    FramePool::takeBack(sender.get());
    reader = std::jthread([this] { readAll(); });
    while (recorder.status().leftOut == 0) {
        std::this_thread::yield();
    }
    put(recorder, *pool_->acquire(10s));
    EXPECT_TRUE(waitReadable({recorder.ended().descriptor()}, 60s));
    EXPECT_TRUE(recorder.status().complete);
    recorder.finish(60s);
}

TEST_F(RecorderTest, FramesOfALosslessStreamWait) {
    std::uint64_t read = 0;
    std::jthread reader;
    {
        Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
        reader = std::jthread([this, &read] { read = readAll(); });  // EOF at once before there is a writer
        putAll(recorder, true);
        recorder.finish(60s);
        EXPECT_EQ(recorder.status().leftOut, 0U);
        EXPECT_EQ(recorder.status().frames, kFrames);
    }
    reader.join();
    EXPECT_EQ(read, kFrames * format_->payloadBytes);
}

TEST_F(RecorderTest, WaitingEndsWhenTheStreamIsLeft) {
    Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
    stop_.request_stop();
    putAll(recorder, true);
    EXPECT_GE(recorder.status().leftOut, kFrames - 3);
}

TEST_F(RecorderTest, AReaderThatLeavesIsAProblemThatIsTold) {
    Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
    reading_.reset();
    putAll(recorder, true);
    EXPECT_THROW(recorder.finish(60s), Error);
    EXPECT_NE(recorder.status().problem.find("take.raw"), std::string::npos);
    EXPECT_EQ(recorder.status().leftOut, kFrames);
}

TEST_F(RecorderTest, ANamedPipeWaitsForItsReader) {
    reading_.reset();
    std::uint64_t read = 0;
    std::jthread reader;
    {
        Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
        reader = std::jthread([this, &read] {
            reading_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
            read = readAll();
        });
        putAll(recorder, true);
        recorder.finish(60s);
        EXPECT_EQ(recorder.status().frames, kFrames);
    }
    reader.join();
    EXPECT_EQ(read, kFrames * format_->payloadBytes);
}

TEST_F(RecorderTest, ANamedPipeThatNobodyReadsHoldsNobodyUp) {
    reading_.reset();
    Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
    putAll(recorder, false);
    EXPECT_NO_THROW(recorder.finish(0ms));
    EXPECT_EQ(recorder.status().leftOut, kFrames);
}

TEST_F(RecorderTest, AReaderThatComesWhenNothingIsWrittenFindsTheEnd) {
    reading_.reset();
    {
        const Recorder recorder({.file = {.path = path_, .container = Container::Rawvideo}});
        reading_.reset(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
    pollfd end{reading_.get(), POLLIN, 0};
    ::poll(&end, 1, 0);
    EXPECT_NE(end.revents & POLLHUP, 0) << "it would wait forever for a writer";
}

/// A file of a format whose index comes last.
TEST_F(RecorderTest, WhatCameBeforeAnErrorPlays) {
    const std::string path = folder_.filePath("take.mp4").toStdString();
    Recorder recorder({.file = {.path = path, .container = Container::Mp4, .encoder = "mpeg4"}, .slots = 64});
    *format_ = tightFormat(64, 48, PixelFormat::rgba);
    format_->timeBase = {1, 50};
    putAll(recorder, true);
    format_ = std::make_shared<VideoFormat>(tightFormat(48, 64, PixelFormat::rgba));
    putAll(recorder, false);
    EXPECT_THROW(recorder.finish(10s), Error);
    std::ifstream take(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(take), {}};
    EXPECT_NE(bytes.find("moov"), std::string::npos) << "its index";
}

constexpr SoundFormat kMono{.rate = 48'000, .channels = 1, .maxSamples = 480};
constexpr std::int64_t kDay = std::int64_t{86'400} * kMono.rate;

class RecordedSound : public RecorderTest {
  protected:
    static constexpr std::chrono::seconds kLimit{10};
    static constexpr std::chrono::seconds kPatience = 2 * kLimit;  // of pictures: none waits for so long

    RecordedSound() {
        *format_ = tightFormat(64, 48, PixelFormat::gray);
        format_->timeBase = {1, 50};
    }
    std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }

    /// A block of that format and time.
    template <typename Taker>
    static void putSound(Taker&& taker, std::int64_t pts, const SoundFormat& format = kMono) {
        ReceivedFrame frame;
        frame.sound = std::make_shared<const SoundFormat>(format);
        frame.info.pts = pts;
        const std::vector<std::byte> samples(format.bytes(format.maxSamples));
        taker({frame, *frame.sound, samples, true});
    }
    Status picture(StreamFile& into, std::int64_t pts, const std::stop_token& crowded = {}) const {
        FrameInfo info;
        info.pts = pts;
        const std::vector<std::byte> payload(format_->payloadBytes);
        return into.write(*format_, info, payload.data(), crowded);
    }

    Event never_;
};

TEST_F(RecordedSound, PicturesDoNotWaitAgainForSoundThatIsFarBehind) {
    StreamFile into({.path = file("take.nut"), .container = Container::Nut}, never_, true, kPatience);
    const auto sound = [&](std::int64_t pts) {
        putSound([&](const ArrivedSound& block) { into.write(block); }, pts);
    };
    sound(0);
    ASSERT_EQ(picture(into, 0), Status::Ok);
    stop_.request_stop();
    sound(-kDay);
    ASSERT_EQ(picture(into, 1, stop_.get_token()), Status::Ok) << "waits in vain";
    auto writing = std::async(std::launch::async, [&] {
        for (std::int64_t i = 2; i < 60; ++i) {
            sound(i * kMono.maxSamples - kDay);
            EXPECT_EQ(picture(into, i), Status::Ok);
        }
    });
    EXPECT_EQ(writing.wait_for(kLimit), std::future_status::ready);
    into.endSound();
    writing.get();
    EXPECT_EQ(into.finish(), Status::Ok);
}

TEST_F(RecordedSound, OfAnImpossibleTimeHoldsNobodyUp) {
    StreamFile into({.path = file("take.nut"), .container = Container::Nut}, never_, true, kPatience);
    putSound([&](const ArrivedSound& block) { into.write(block); }, std::numeric_limits<std::int64_t>::max());
    auto writing = std::async(std::launch::async, [&] { EXPECT_EQ(picture(into, 0), Status::Ok); });
    EXPECT_EQ(writing.wait_for(kLimit), std::future_status::ready);
    into.endSound();
    writing.get();
    EXPECT_EQ(into.finish(), Status::Ok);
}

TEST_F(RecordedSound, PicturesOfALiveStreamThatHaveNoRoomDoNotWaitForIt) {
    // One is written, and one may wait.
    Recorder recorder(
        {.file = {.path = file("take.nut"), .container = Container::Nut}, .slots = 4, .patience = kPatience});
    const auto written = [&](std::uint64_t frames) {
        const Deadline deadline = Deadline::in(kLimit);
        while (recorder.status().frames < frames && !deadline.passed()) {
            std::this_thread::yield();
        }
        return recorder.status().frames >= frames;
    };
    const auto put = [&](std::int64_t pts) {
        for (;;) {
            ReceivedFrame frame;
            frame.lease = *pool_->acquire(10s);
            frame.format = format_;
            frame.info.pts = pts;
            const std::uint64_t leftOut = recorder.status().leftOut;
            recorder.put(frame, true, stop_.get_token());
            if (recorder.status().leftOut == leftOut) {
                return;
            }
            std::this_thread::yield();  // the one before has not been taken to be written yet
        }
    };
    const auto sound = [&](std::int64_t pts) {
        putSound([&](const ArrivedSound& block) { recorder.put(block); }, pts);
    };
    sound(0);
    put(0);
    ASSERT_TRUE(written(1));
    put(1);
    put(2);
    EXPECT_TRUE(written(3));
    for (std::int64_t i = 3; i < 10; ++i) {
        sound((i - 2) * 2 * kMono.maxSamples);  // behind as it was
        put(i);
        EXPECT_TRUE(written(static_cast<std::uint64_t>(i) + 1));
    }
    recorder.finish(60s);
}

TEST_F(RecordedSound, OfAnotherLengthOfBlocksGoesOn) {
    const std::string path = file("take.wav");
    StreamFile into({.path = path, .container = Container::Wav}, never_);
    SoundFormat shorter = kMono;
    shorter.maxSamples = 240;
    const auto taker = [&](const ArrivedSound& block) { into.write(block); };
    putSound(taker, 0);
    putSound(taker, 480, shorter);
    putSound(taker, 720);
    EXPECT_EQ(into.finish(), Status::Ok);
    EXPECT_EQ(into.takeNotes(), std::vector<std::string>());
    std::ifstream wav(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(wav), {}};
    EXPECT_EQ(bytes.size() - (bytes.find("data") + 8), kMono.bytes(480 + 240 + 480));
}

}  // namespace
}  // namespace verbcast::testing

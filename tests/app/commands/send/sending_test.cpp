// What every sending command does with its source, run in this process.
#include "app/commands/send/sending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

/// One frame, filled with kGood. On destruction it overwrites every free slot, as a relay's upstream may.
class GreedySource final : public FrameSource {
  public:
    static constexpr int kGood = 0x11, kOther = 0xee;

    ~GreedySource() override {
        std::vector<FrameLease> taken;
        while (auto lease = frames_.pool->tryAcquire()) {
            std::memset(lease->data(), kOther, frames_.format.payloadBytes);
            taken.push_back(std::move(*lease));
        }
    }
    std::string describe() const override { return "a greedy source"; }
    std::vector<std::string> notes() const override { return {}; }
    const VideoFormat& format() const override { return frames_.format; }
    bool isLive() const override { return false; }
    std::optional<std::uint64_t> expectedFrames() const override { return 1; }
    Status capture(CapturedFrame& frame, const Event&) override {
        frame.format = frames_.format;
        frame.lease = *frames_.make();
        std::memset(frame.lease.data(), kGood, frames_.format.payloadBytes);
        return Status::Ok;
    }
    SourceCounters counters() const override { return {}; }

  private:
    TestSource frames_;
};

/// Two slides, each shown as long as the constructor says, or a live picture at that rate.
class Slides : public FrameSource {
  public:
    explicit Slides(Rational frameTime, bool live = false) : live_(live) {
        frames_.format.timeBase = frameTime;
        frames_.format.frameRate = {frameTime.denominator, frameTime.numerator};
    }
    std::string describe() const override { return "slides"; }
    std::vector<std::string> notes() const override { return {}; }
    const VideoFormat& format() const override { return frames_.format; }
    bool isLive() const override { return live_; }
    std::optional<std::uint64_t> expectedFrames() const override { return 2; }
    Status capture(CapturedFrame& frame, const Event&) override {
        if (frames_.next == 2) {
            return Status::Closed;
        }
        frame.format = frames_.format;
        frame.lease = *frames_.make();
        frame.pts = static_cast<std::int64_t>(frames_.next++);
        frame.duration = 1;
        return Status::Ok;
    }
    SourceCounters counters() const override { return {}; }

  private:
    TestSource frames_;
    bool live_;
};

/// Slides that were captured elsewhere, and come as their sender paces them: early.
class FedSlides final : public Slides {
  public:
    FedSlides() : Slides(Rational{3600, 1}) {}
    bool pacesItself() const override { return true; }
    bool isFed() const override { return true; }
    std::vector<std::string> takeNews() override { return std::exchange(news_, {}); }
    Status capture(CapturedFrame& frame, const Event& cancel) override {
        const Status status = Slides::capture(frame, cancel);
        news_.push_back(status == Status::Ok ? "signal restored" : "signal lost");
        frame.capturedAt = capturedAt;
        frame.duration = 0;
        return status;
    }
    const TimestampNs capturedAt = nowNs();

  private:
    std::vector<std::string> news_;
};

struct Shown {
    std::uint64_t frames = 0;
    std::chrono::nanoseconds time{0};
    std::vector<TimestampNs> capturedAt{};
};

/// Sends that source to one viewer.
Shown show(std::unique_ptr<FrameSource> source, std::optional<std::chrono::nanoseconds> duration = {},
           int exitCode = 0, SentBeside beside = {}, Verbosity verbosity = Verbosity::Quiet) {
    const std::string address = listenAddressFor(std::string("shm"));
    SendingOptions options;
    options.sender.url = parseUrl(address);
    options.duration = duration;
    options.verbosity = verbosity;
    FrameReceiver viewer(receiverOptions(address));
    auto viewing = std::async(std::launch::async, [&] {
        Shown shown;
        TimestampNs first = 0;
        for (ReceivedFrame frame; viewer.receive(frame, kLimit) == Status::Ok; ++shown.frames) {
            first = first == 0 ? nowNs() : first;
            shown.capturedAt.push_back(frame.info.capturedAt);
        }
        shown.time = std::chrono::nanoseconds(nowNs() - first);
        return shown;
    });
    EXPECT_EQ(Sending(options, std::move(source), nullptr, std::move(beside)).run(), exitCode);
    return viewing.get();
}

TEST(Sending, TheLastPictureIsShownAsLongAsItLasts) {
    const Shown shown = show(std::make_unique<Slides>(Rational{1, 4}));
    EXPECT_EQ(shown.frames, 2U);
    EXPECT_GT(shown.time, 400ms) << "two quarters of a second";
}

TEST(Sending, ALongSlideIsShownUntilTheTimeIsOver) {
    const Shown shown = show(std::make_unique<Slides>(Rational{3600, 1}), 200ms);
    EXPECT_EQ(shown.frames, 1U);
    EXPECT_LT(shown.time, kLimit);
}

/// Sound that ends the stream once it has been sent for a while beside one picture.
class EndlessSound final : public SoundBeside {
  public:
    explicit EndlessSound(std::vector<double>& sentAt) : sentAt_(sentAt) {}
    Policy policyBeside(Policy pictures) const override { return pictures; }
    void start(Broadcast& /*sender*/) override {}
    std::optional<double> moreDue() const override { return due_; }
    Status sendMore(double media, Broadcast& /*sender*/, const Event& /*cancel*/) override {
        sentAt_.push_back(media);
        due_ = media + kSoundStep;
        return media < 0.1 ? Status::Ok : Status::Cancelled;
    }

  private:
    double due_ = 0;
    std::vector<double>& sentAt_;
};

TEST(Sending, SoundGoesOnWhileASlideIsShown) {
    std::vector<double> sentAt;
    const TimestampNs begun = nowNs();
    const Shown shown = show(std::make_unique<Slides>(Rational{3600, 1}), kLimit, 130,
                             {.sound = std::make_unique<EndlessSound>(sentAt)});
    EXPECT_EQ(shown.frames, 1U);
    ASSERT_GE(sentAt.size(), 1U);
    EXPECT_TRUE(std::ranges::is_sorted(sentAt));
    EXPECT_GT(sentAt.front(), 0);
    EXPECT_LT(sentAt.back(), static_cast<double>(nowNs() - begun) * 1e-9);
}

TEST(Sending, ASlowRateSendsItsFirstPictureWithinATimeLimit) {
    const Shown shown = show(std::make_unique<Slides>(Rational{3600, 1}, true), 200ms);
    EXPECT_EQ(shown.frames, 1U);
}

// Regression: it was shown an hour later, and as if captured then.
TEST(Sending, WhatPacesItselfIsSentAsItComes) {
    auto source = std::make_unique<FedSlides>();
    const TimestampNs capturedAt = source->capturedAt;
    const Shown shown = show(std::move(source), kLimit);
    EXPECT_EQ(shown.capturedAt, std::vector(2, capturedAt));
}

TEST(Sending, NewsOfTheSourceIsToldOnce) {
    ::testing::internal::CaptureStderr();
    show(std::make_unique<FedSlides>(), kLimit, 0, {}, Verbosity::Normal);
    std::istringstream told(::testing::internal::GetCapturedStderr());
    std::vector<std::string> notes;
    for (std::string line; std::getline(told, line);) {
        if (line.starts_with("note: ")) {
            notes.push_back(line.substr(6));
        }
    }
    EXPECT_EQ(notes, (std::vector<std::string>{"signal restored", "signal restored", "signal lost"}));
}

TEST(Sending, AFrameThatIsStillReadAtTheEndIsNotOverwritten) {
    const std::string address = listenAddressFor(std::string("shm"));
    SendingOptions options;
    options.sender.url = parseUrl(address);
    options.frames = 1;
    options.verbosity = Verbosity::Quiet;
    FrameReceiver viewer(receiverOptions(address));
    ReceivedFrame frame;
    auto viewing = std::async(std::launch::async, [&] { return viewer.receive(frame, kLimit); });
    EXPECT_EQ(Sending(options, std::make_unique<GreedySource>()).run(), 0);
    ASSERT_EQ(viewing.get(), Status::Ok);
    for (std::uint64_t at = 0; at < frame.info.payloadBytes; ++at) {
        ASSERT_EQ(static_cast<int>(frame.lease.data()[at]), GreedySource::kGood) << "at byte " << at;
    }
}

}  // namespace
}  // namespace verbcast::testing

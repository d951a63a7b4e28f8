// Which sound goes with which picture.
#include "app/commands/send/source_sound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <utility>

#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr SoundFormat kFormat{.rate = 48'000, .channels = 1, .maxSamples = 240};

/// Blocks without sound.
class Blocks : public SoundSource {
  public:
    std::string describe() const override { return "blocks"; }
    std::vector<std::string> notes() const override { return {}; }
    const SoundFormat& format() const override { return kFormat; }

  protected:
    Status give(CapturedSound& block, std::int64_t at) const {
        block.samples.assign(kFormat.maxSamples, 0);
        block.at = at;
        return Status::Ok;
    }
};

/// A file of several recordings, each of which begins at 0.
class Recordings final : public Blocks {
  public:
    explicit Recordings(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
    bool isLive() const override { return false; }
    bool canRewind() const override { return false; }
    Status read(CapturedSound& block) override {
        while (number_ < seconds_.size() && kFormat.secondsOf(next_) >= seconds_[number_]) {
            ++number_;
            next_ = 0;
        }
        return number_ == seconds_.size() ? Status::Closed
                                          : give(block, std::exchange(next_, next_ + kFormat.maxSamples));
    }

  private:
    const std::vector<double> seconds_;
    std::size_t number_ = 0;
    std::int64_t next_ = 0;
};

struct Given {
    /// For SourceSound::readWith().
    SourceSound::Take take() {
        return [this](const CapturedSound& block, const SoundFormat& format, std::int64_t pts) {
            begins.push_back(format.secondsOf(pts));
            seconds += format.secondsOf(static_cast<std::int64_t>(block.samples.size()));
            return Status::Ok;
        };
    }
    std::vector<double> begins;
    double seconds = 0;
};

/// Pictures of as many recordings, at 25 per second, with the rest of the sound. Returns the most sound in
/// seconds that went with one of them.
double mostWithOne(SourceSound& sound, const std::vector<double>& recordings, Given& given) {
    double most = 0;
    for (const double length : recordings) {
        for (int i = 0; i < std::lround(length * 25); ++i) {
            const double before = given.seconds;
            EXPECT_EQ(sound.readWith({.media = i * 0.04}, given.take()), Status::Ok);
            most = std::max(most, given.seconds - before);
        }
    }
    for (auto due = sound.moreDue(); due; due = sound.moreDue()) {
        EXPECT_EQ(sound.readMore(*due, given.take()), Status::Ok);
    }
    return most;
}

TEST(SourceSound, GoesBackWithThePictures) {
    constexpr double kAtOnce = kSoundAhead + 0.041;  // between two pictures
    const std::vector<double> pictures{2, 2, 2};
    for (const auto& [heard, left] : {std::pair{std::vector<double>{2, 2, 2}, 0.0},
                                      {{1.5, 2, 2}, 0.0},
                                      {{2.6, 2, 2}, 0.6},
                                      {{1.5, 2.6, 2}, 0.6}}) {
        SCOPED_TRACE(left);
        SourceSound sound(std::make_unique<Recordings>(heard), {});
        Given given;
        EXPECT_LE(mostWithOne(sound, pictures, given), left + kAtOnce);
        EXPECT_NEAR(given.seconds, heard[0] + heard[1] + heard[2], 0.001);
    }
}

TEST(SourceSound, ThatGoesBackAloneIsNotWaitedForForEver) {
    SourceSound sound(std::make_unique<Recordings>(std::vector<double>{2, 2}), {});
    Given given;
    mostWithOne(sound, {4}, given);
    EXPECT_NEAR(given.seconds, 4, 0.001);
}

TEST(SourceSound, IsGivenInTimeBetweenPictures) {
    SourceSound sound(std::make_unique<Recordings>(std::vector<double>{3}), {});
    Given given;
    double now = 0;
    for (int picture = 0; picture < 3; ++picture) {
        for (; isDueBefore(sound.moreDue(), picture); now += kSoundStep) {
            EXPECT_EQ(sound.readMore(now, given.take()), Status::Ok);
            EXPECT_GE(given.begins.back(), now + kSoundAhead) << "too late";
            EXPECT_LE(given.begins.back(), now + kSoundAhead + kSoundStep) << "too early";
        }
        const std::size_t before = given.begins.size();
        sound.readMeanwhile(given.take());
        EXPECT_EQ(given.begins.size(), before);
        now = picture;
        EXPECT_EQ(sound.readWith({.media = now}, given.take()), Status::Ok);
        EXPECT_GE(given.begins.back(), now + kSoundAhead / 2);
    }
}

/// A device whose blocks come as the test says.
class Device final : public Blocks {
  public:
    bool isLive() const override { return true; }
    int waitDescriptor() const override { return news_.descriptor(); }
    Status read(CapturedSound& block) override {
        const std::lock_guard lock(mutex_);
        if (next_ < until_) {
            return give(block, std::exchange(next_, next_ + kFormat.maxSamples));
        }
        news_.clear();
        idle_ = true;
        read_.notify_all();
        return Status::TimedOut;
    }
    /// Returns once all of it was taken.
    void bringUntil(double seconds) {
        std::unique_lock lock(mutex_);
        until_ = std::llround(seconds * kFormat.rate);
        idle_ = false;
        news_.notify();
        EXPECT_TRUE(read_.wait_for(lock, kPatience, [this] { return idle_; }));
    }

  private:
    Event news_;
    std::mutex mutex_;
    std::condition_variable read_;
    bool idle_ = false;  // all of it was taken
    std::int64_t next_ = 0, until_ = 0;
};

TEST(SourceSound, OfADeviceFollowsTheClockOfThePictures) {
    constexpr double kSlow = 0.999;  // seconds of the pictures' in one of ours
    constexpr double kApart = 0.1;   // of two pictures
    auto opened = std::make_unique<Device>();
    Device& device = *opened;
    SourceSound sound(std::move(opened), {});
    Given given;
    ASSERT_EQ(sound.readWith({.media = 7, .capturedAt = 0}, given.take()), Status::Ok);
    sound.start(given.take());
    for (int i = 1; i <= 3000; ++i) {
        device.bringUntil(i * kApart);
        ASSERT_EQ(
            sound.readWith({.media = 7 + i * kApart * kSlow, .capturedAt = std::llround(i * kApart * 1e9)},
                           given.take()),
            Status::Ok);
    }
    ASSERT_EQ(given.begins.size(), 60'000U);
    for (std::size_t i = 0; i < given.begins.size(); ++i) {
        const double at = static_cast<double>(i) * 0.005;
        ASSERT_NEAR(given.begins[i], 7 + at * kSlow, 0.005) << "at " << at << " s";
        const double length = i == 0 ? 0.005 : given.begins[i] - given.begins[i - 1];
        ASSERT_NEAR(length * kFormat.rate, kFormat.maxSamples, 1.001) << "at " << at << " s";
    }
}

}  // namespace
}  // namespace verbcast::testing

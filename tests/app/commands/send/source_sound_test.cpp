// Which sound goes with which picture.
#include "app/commands/send/source_sound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

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

}  // namespace
}  // namespace verbcast::testing

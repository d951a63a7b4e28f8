// The device that a stream's sound is played on.
#include "app/view/sound/stream_sound.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <future>
#include <memory>
#include <vector>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kStart = 1'000'000'000'000;
constexpr SoundFormat kNarrow{.rate = 8000, .channels = 1, .maxSamples = 80, .layout = 0x4};
constexpr SoundFormat kWide{.rate = 48'000, .channels = 2, .maxSamples = 480, .layout = 0x3};

/// Two that are opened one after the other.
struct Outputs {
    class One final : public SoundOutput {
      public:
        explicit One(int& open) : open_(open) { EXPECT_EQ(++open_, 1) << "one at a time"; }
        ~One() override { --open_; }
        SoundOutputStatus status() const override { return {}; }

      private:
        int& open_;
    };

    std::unique_ptr<SoundOutput> open(const SoundOutputOptions& options, SoundFiller& by) {
        auto output = std::make_unique<One>(now);
        filler = &by;
        opened.at(next++).set_value(options);
        return output;
    }

    int now = 0;
    SoundFiller* filler = nullptr;
    std::size_t next = 0;
    std::array<std::promise<SoundOutputOptions>, 2> opened;
};

/// A block of half of full scale in the first channel.
void put(StreamSound& sound, const SoundFormat& format, std::int64_t pts) {
    std::vector<float> samples(std::size_t{format.maxSamples} * format.channels);
    std::fill_n(samples.begin(), format.maxSamples, 0.5F);
    ReceivedFrame frame;
    frame.info.pts = pts;
    frame.arrivedAt = kStart;
    sound.put({frame, format, std::as_bytes(std::span(samples)), true});
}

void showFirstPicture(StreamSound& sound) {
    ReceivedFrame picture;
    picture.format = std::make_shared<const VideoFormat>(tightFormat(64, 48, PixelFormat::gray));
    sound.pictureShown(picture, kStart);
    sound.pictureShown(picture, kStart);  // the first one of a format does not count
}

TEST(StreamSound, OpensTheDeviceAnewForMoreChannelsAndAHigherRate) {
    Outputs outputs;
    StreamSound sound(ViewOptions{}, [&](const SoundOutputOptions& options, SoundFiller& filler) {
        return outputs.open(options, filler);
    });
    put(sound, kNarrow, 0);
    const SoundOutputOptions first = outputs.opened[0].get_future().get();
    EXPECT_EQ(first.channels, 1U);
    EXPECT_EQ(first.rate, 8000U);
    for (std::int64_t i = 0; i < 100; ++i) {
        put(sound, kWide, i * kWide.maxSamples);
    }
    const SoundOutputOptions second = outputs.opened[1].get_future().get();
    EXPECT_EQ(second.channels, 2U);
    EXPECT_EQ(second.rate, 48'000U);
    EXPECT_EQ(second.layout, kWide.layout);
    put(sound, kNarrow, 8000);  // needs no other one
    showFirstPicture(sound);
    float left = 0, right = 0;
    std::vector<float> played(std::size_t{480} * 2);
    for (int i = 0; i < 50; ++i) {
        outputs.filler->fill(played, 2, 48'000, kStart + i * 10'000'000LL);
        for (std::size_t at = 0; at < played.size(); at += 2) {
            left = std::max(left, std::abs(played[at]));
            right = std::max(right, std::abs(played[at + 1]));
        }
    }
    EXPECT_NEAR(left, 0.5, 0.01);
    EXPECT_EQ(right, 0);
}

}  // namespace
}  // namespace verbcast::testing

// Sound through the C interface.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <future>
#include <limits>
#include <span>
#include <vector>

#include "tests/core/api/api_sender.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

class ApiSound : public Api {
  protected:
    ApiSound() {
        options_.sound = 1;
        options_.policy = VC_LOSSLESS;
    }
    static vc_sound sound(std::uint32_t rate, std::uint32_t channels, std::span<const float> interleaved) {
        vc_sound given = VC_INIT(vc_sound);
        given.rate = rate;
        given.channels = channels;
        given.samples = channels > 0 ? static_cast<std::uint32_t>(interleaved.size() / channels) : 0;
        given.interleaved = interleaved.data();
        return given;
    }
    ReceiverOptions hearing() const {
        ReceiverOptions options = receiverOptions();
        options.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
        return options;
    }
};

std::vector<float> noise(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(state) / 4294967296.0F - 0.5F;
    }
    return values;
}

bool sameBits(float one, float other) {
    return std::memcmp(&one, &other, sizeof one) == 0;
}

TEST_F(ApiSound, ArrivesAsItWasGivenHoweverLongItIs) {
    constexpr std::uint32_t kRate = 44'100, kChannels = 3;
    const SenderPointer sender = open();
    FrameReceiver receiver(hearing());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    // A whole second at an odd time, a block, one sample, and nothing.
    std::int64_t time = 7'000'000'000'000 + 333;
    for (const std::size_t samples : {std::size_t{kRate}, std::size_t{441}, std::size_t{1}, std::size_t{0}}) {
        std::vector<float> values = noise(samples * kChannels);
        if (samples == 441) {
            values[5] = std::numeric_limits<float>::quiet_NaN();
            values[6] = std::numeric_limits<float>::infinity();
        }
        vc_sound given = sound(kRate, kChannels, values);
        std::vector<std::vector<float>> planes(kChannels);
        std::vector<const float*> pointers;
        for (std::size_t channel = 0; channel < kChannels; ++channel) {
            for (std::size_t i = channel; i < values.size(); i += kChannels) {
                planes[channel].push_back(values[i]);
            }
            pointers.push_back(planes[channel].data());
        }
        if (samples > 1) {
            given.interleaved = nullptr;
            given.planes = pointers.data();
        }
        given.time = time;
        given.captured_at = nowNs() - 2'000'000'000;
        given.layout = 0x7;
        auto sending =
            std::async(std::launch::async, [&] { return vc_sender_send_sound(sender.get(), &given); });
        for (std::size_t heard = 0; heard < samples;) {
            ReceivedFrame block;
            ASSERT_EQ(receiver.receive(block, 10s, kSoundTrack), Status::Ok);
            EXPECT_EQ(block.sound->rate, kRate);
            EXPECT_EQ(block.sound->channels, kChannels);
            EXPECT_EQ(block.sound->layout, 0x7U);
            EXPECT_EQ(block.info.pts,
                      std::llround(7'000.0 * kRate + 333e-9 * kRate) + static_cast<std::int64_t>(heard));
            EXPECT_NEAR(static_cast<double>(block.info.capturedAt - given.captured_at),
                        static_cast<double>(heard) * 1e9 / kRate, 1);
            const auto count = block.sound->samplesOf(block.info.payloadBytes);
            ASSERT_TRUE(count && *count > 0);
            const auto* got = reinterpret_cast<const float*>(block.lease.data());
            for (std::size_t channel = 0; channel < kChannels; ++channel) {
                for (std::size_t i = heard; i < heard + *count; ++i) {
                    ASSERT_TRUE(sameBits(*got++, values[i * kChannels + channel])) << channel << " " << i;
                }
            }
            heard += *count;
        }
        EXPECT_EQ(sending.get(), VC_OK) << vc_error();
    }
    EXPECT_TRUE(receiver.hasSound());
    ReceivedFrame none;
    EXPECT_EQ(receiver.receive(none, 0ns, kSoundTrack), Status::TimedOut);
}

TEST_F(ApiSound, GoesBesideFramesFromAnotherThreadIfItIsLive) {
    options_.policy = VC_LATEST;
    const SenderPointer sender = open();
    ASSERT_EQ(setFormat(sender.get(), VC_PIXEL_GRAY, 64, 48, {60, 1}), VC_OK) << vc_error();
    const std::vector<float> values = noise(240);
    EXPECT_EQ(
        [&] {
            const vc_sound given = sound(48'000, 1, values);
            return vc_sender_send_sound(sender.get(), &given);
        }(),
        VC_OK)
        << "nobody is there, and nobody is waited for";
    FrameReceiver receiver(hearing());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    constexpr int kEach = kSoundSlots / 4;  // fewer blocks than wait for a receiver
    auto speaking = std::async(std::launch::async, [&] {
        for (int i = 0; i < kEach; ++i) {
            vc_sound given = sound(48'000, 1, values);
            given.time = i * 5'000'000LL;
            ASSERT_EQ(vc_sender_send_sound(sender.get(), &given), VC_OK) << vc_error();
        }
    });
    ReceivedFrame frame;
    for (int i = 0; i < kEach; ++i) {
        send(sender.get(), i);
        ASSERT_EQ(receiver.receive(frame, 10s), Status::Ok);
    }
    speaking.get();
    for (int i = 0; i < kEach; ++i) {
        ASSERT_EQ(receiver.receive(frame, 10s, kSoundTrack), Status::Ok);
        EXPECT_EQ(frame.info.pts, i * 240);
    }
}

TEST_F(ApiSound, MayGoBackInTimeAndChangeItsRate) {
    const SenderPointer sender = open();
    FrameReceiver receiver(hearing());
    ASSERT_EQ(vc_sender_wait(sender.get(), 10'000), VC_OK) << vc_error();
    const std::vector<float> values = noise(80);
    constexpr std::int64_t kDay = 86'400'000'000'000;
    const auto furthest = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t rate : {48'000U, 8'000U, 192'000U}) {
        for (const std::int64_t time : {kDay, std::int64_t{0}, -kDay, furthest, -furthest}) {
            vc_sound given = sound(rate, 1, values);
            given.time = time;
            ASSERT_EQ(vc_sender_send_sound(sender.get(), &given), VC_OK) << vc_error();
            ReceivedFrame block;
            ASSERT_EQ(receiver.receive(block, 10s, kSoundTrack), Status::Ok);
            EXPECT_EQ(block.sound->rate, rate);
            EXPECT_NEAR(block.sound->secondsOf(block.info.pts), static_cast<double>(time) * 1e-9, 1.0 / rate);
        }
    }
}

TEST_F(ApiSound, ThatCannotBeIsRefusedInWords) {
    const SenderPointer sender = open();
    const std::vector<float> values = noise(960);
    const auto refused = [&](const vc_sound& given, const char* word) {
        EXPECT_EQ(vc_sender_send_sound(sender.get(), &given), VC_ERROR) << word;
        EXPECT_TRUE(contains(vc_error(), word)) << vc_error();
    };
    refused(sound(48'000, 0, values), "0 channels");
    refused(sound(48'000, 65, values), "65 channels");
    refused(sound(48'000, 65'537, values), "1 to 64");
    refused(sound(1, 2, values), "1 Hz");
    refused(sound(0, 2, values), "0 Hz");
    refused(sound(4'000'000'000, 2, values), "4000000000 Hz");
    vc_sound given = sound(48'000, 2, values);
    given.layout = 0x7;
    refused(given, "3 loudspeakers");
    given.layout = 0;
    given.interleaved = nullptr;
    refused(given, "interleaved or planes");
    const float* const planes[] = {values.data(), nullptr};
    given.planes = planes;
    refused(given, "each channel");
    given.interleaved = values.data();
    refused(given, "interleaved or planes");
    given.planes = nullptr;
    for (const std::int64_t when : {std::int64_t{-1}, nowNs() + 3'600'000'000'000}) {
        given.captured_at = when;
        refused(given, "captured_at");
    }
    given.captured_at = 0;
    given.size = 3;
    refused(given, "VC_INIT(vc_sound)");
    given.size = sizeof given;
    EXPECT_EQ(vc_sender_send_sound(sender.get(), &given), VC_BUSY) << "lossless, and nobody is there";
    EXPECT_EQ(vc_sender_send_sound(nullptr, &given), VC_ERROR);
    EXPECT_EQ(vc_sender_send_sound(sender.get(), nullptr), VC_ERROR);

    options_.sound = 0;
    url_ += "-silent";
    const SenderPointer silent = open();
    EXPECT_EQ(vc_sender_send_sound(silent.get(), &given), VC_ERROR);
    EXPECT_TRUE(contains(vc_error(), "vc_sender_options.sound")) << vc_error();
}

TEST_F(ApiSound, TheCppInterfaceDoesTheSame) {
    vc_sender_options options = vc::Sender::defaults();
    options.url = url_.c_str();
    options.sound = 1;
    vc::Sender sender(options);
    const std::vector<float> values = noise(480);
    EXPECT_EQ(sender.sendSound(sound(48'000, 2, values)), VC_OK);
    EXPECT_THROW(sender.sendSound(sound(48'000, 0, values)), vc::Error);
}

}  // namespace
}  // namespace verbcast::testing

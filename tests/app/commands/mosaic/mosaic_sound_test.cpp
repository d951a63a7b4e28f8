// verbcast compose --layout with sound: one input's as it came, the mix of all, or none.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <thread>

#include "core/stream/sound_slots.h"
#include "tests/app/commands/mosaic/loudness.h"
#include "tests/core/session/core_support.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class MosaicSound : public DrawingTest<ProgramAndFfmpegTest> {
  protected:
    static Arguments mosaic(const Arguments& more) {
        return Arguments{"compose", "--layout", "grid",     "--size",
                         "192x72",  "--once",   "--listen", listenAddressFor("shm")} +
               more;
    }
    /// A second of a tone, with pictures.
    std::string tone(int hertz) const {
        const std::string name = file(std::to_string(hertz) + ".mkv");
        ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=1", "-f", "lavfi", "-i",
                "aevalsrc=exprs=0.25*sin(2*PI*t*" + std::to_string(hertz) + "):sample_rate=48000:duration=1",
                "-c:v", "mpeg4", "-c:a", "pcm_f32le", name});
        return name;
    }
    /// The last half second of what two tones become, or nothing if there is no sound.
    std::vector<float> heard(const Arguments& from) {
        Verbcast all(mosaic(Arguments{"--loop", "--fps", "30", tone(440), tone(1000)} + from), home_);
        Verbcast viewer({"view", "--headless", all.listenAddress(), "--frames", "45", "--force", "--output",
                         file("got.nut")},
                        home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(all, 0)) << all.errors();
        ChildProcess probe({"ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0",
                            file("got.nut")},
                           {});
        EXPECT_EQ(probe.waitForEnd(), 0);
        if (probe.output().find("audio") == std::string::npos) {
            return {};
        }
        const std::string raw = ffmpeg({"-v", "error", "-i", file("got.nut"), "-map", "0:a", "-af",
                                        "pan=mono|c0=c0", "-f", "f32le", "-"});
        std::vector<float> samples(raw.size() / sizeof(float));
        std::memcpy(samples.data(), raw.data(), samples.size() * sizeof(float));
        EXPECT_GE(samples.size(), 36'000U) << all.errors();
        samples.erase(samples.begin(), samples.end() - std::min<std::ptrdiff_t>(24'000, std::ssize(samples)));
        return samples;
    }
};

TEST_F(MosaicSound, OfAnInputArrivesBitByBit) {
    constexpr SoundFormat kFormat{.rate = 44'100, .channels = 3, .maxSamples = 441};
    constexpr std::uint64_t kBytes = std::uint64_t{3} * 441 * sizeof(float);
    SenderOptions options;
    options.url = parseUrl(listenAddressFor("tcp"));
    options.policy = Policy::Lossless;
    options.peerTimeout = kLimit;
    options.hasSound = true;
    Broadcast sender(options);
    Verbcast all(
        mosaic({"pattern", sender.listenAddresses().front(), "--audio-from", "2", "--policy", "lossless"}),
        home_);
    ReceiverOptions viewing = receiverOptions(all.listenAddress());
    viewing.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
    FrameReceiver viewer(viewing);
    std::atomic<bool> seen{false};
    const std::jthread watching([&](const std::stop_token& stop) {
        for (ReceivedFrame frame; !stop.stop_requested(); frame = {}) {
            seen = viewer.receive(frame, 20ms) == Status::Ok || seen;
        }
    });
    TestSource pictures;
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(pictures.send(sender), Status::Ok);
    ASSERT_TRUE(eventually([&] { return seen.load(); })) << "who comes later misses sound";
    SoundSlots slots;
    const Event never;
    const auto sampleOf = [](int block, int index) {
        return std::sin(static_cast<float>(block * 1000 + index));
    };
    constexpr int kBlocks = 20;
    const std::int64_t first = 44'100 / 60;
    for (int block = 0; block < kBlocks; ++block) {
        auto slot = slots.acquire(kFormat, kLimit);
        ASSERT_TRUE(slot);
        for (int i = 0; i < 3 * 441; ++i) {
            reinterpret_cast<float*>(slot->data())[i] = sampleOf(block, i);
        }
        FrameInfo info;
        info.track = kSoundTrack;
        info.pts = first + block * 445;
        ASSERT_EQ(sender.submit(std::move(*slot), TrackFormat::ofSound(kFormat), kBytes, info, never),
                  Status::Ok);
    }
    std::int64_t begin = 0;
    for (int block = 0; block < kBlocks; ++block) {
        ReceivedFrame got;
        ASSERT_EQ(viewer.receive(got, kLimit, kSoundTrack), Status::Ok) << all.errors();
        ASSERT_EQ(*got.sound, kFormat);
        ASSERT_EQ(got.info.payloadBytes, kBytes);
        begin = block == 0 ? got.info.pts : begin;
        EXPECT_EQ(got.info.pts - begin, block * 445);
        for (int i = 0; i < 3 * 441; ++i) {
            ASSERT_EQ(reinterpret_cast<const float*>(got.lease.data())[i], sampleOf(block, i)) << block;
        }
    }
}

/// In the stretch where it is loudest: on a busy machine a mix, which is made in real time, has gaps.
double amplitudeOfMix(double hertz, std::span<const float> samples) {
    constexpr std::size_t kStretch = 2'400;  // whole periods of both tones
    double loudest = 0;
    for (std::size_t at = 0; at + kStretch <= samples.size(); at += kStretch) {
        loudest = std::max(loudest, amplitudeOf(hertz, samples.subspan(at, kStretch), 48'000));
    }
    return loudest;
}

TEST_F(MosaicSound, IsOfOneInputOrAllOrNone) {
    const std::vector<float> first = heard({});
    EXPECT_NEAR(amplitudeOf(440, first, 48'000), 0.25, 0.01);
    EXPECT_NEAR(amplitudeOf(1000, first, 48'000), 0, 0.01);
    const std::vector<float> mix = heard({"--audio-from", "mix"});
    EXPECT_NEAR(amplitudeOfMix(440, mix), 0.25, 0.03);
    EXPECT_NEAR(amplitudeOfMix(1000, mix), 0.25, 0.03);
    EXPECT_TRUE(heard({"--audio-from", "none"}).empty());
}

}  // namespace
}  // namespace verbcast::testing

// verbcast relay with sound: it arrives bit by bit, with its times, from one transport to the other.
#include <cmath>
#include <future>

#include "core/stream/sound_slots.h"
#include "tests/app/commands/viewers_address.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

class RelayedSoundTest : public ProgramAndFfmpegTest, public ::testing::WithParamInterface<const char*> {
  protected:
    std::string from() const { return listenAddressFor(std::string(GetParam())); }
    std::string to() const { return listenAddressFor(std::string(GetParam()) == "tcp" ? "shm" : "tcp"); }
    /// As ffmpeg decodes it.
    std::string soundSum(const std::string& name) const {
        return ffmpeg(
            {"-v", "error", "-i", file(name), "-map", "0:a", "-c:a", "pcm_f32le", "-f", "md5", "-"});
    }
};

TEST_P(RelayedSoundTest, ArrivesAsFfmpegDecodesIt) {
    ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=0.6", "-f", "lavfi", "-i",
            "aevalsrc=exprs='0.3*sin(440*t*2*PI)|0.2*random(0)':sample_rate=44100:duration=0.7", "-c:v",
            "mpeg4", "-c:a", "flac", file("clip.mkv")});
    Verbcast sender({"send", file("clip.mkv"), "--once", "--fps", "max", "--listen", from()}, home_);
    Verbcast relay({"relay", sender.listenAddress(), "--once", "--listen", to()}, home_);
    Verbcast viewer({"view", "--headless", viewersAddress(relay), "--once", "--output", file("got.nut")},
                    home_);
    for (Verbcast* program : {&sender, &relay, &viewer}) {
        EXPECT_TRUE(endsWith(*program, 0));
    }
    EXPECT_EQ(soundSum("got.nut"), soundSum("clip.mkv"));
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut"), "-map", "0:v"}).size(), 15U);
}

TEST_P(RelayedSoundTest, ArrivesWithoutPictures) {
    ffmpeg({"-f", "lavfi", "-i", "aevalsrc=exprs='0.3*sin(440*t*2*PI)|0.2*random(0)':duration=0.7",
            file("song.flac")});
    Verbcast sender({"send", file("song.flac"), "--once", "--fps", "max", "--listen", from()}, home_);
    Verbcast relay({"relay", sender.listenAddress(), "--once", "--listen", to()}, home_);
    Verbcast viewer({"view", "--headless", viewersAddress(relay), "--once", "--output", file("got.wav")},
                    home_);
    for (Verbcast* program : {&sender, &relay, &viewer}) {
        EXPECT_TRUE(endsWith(*program, 0)) << program->errors();
    }
    EXPECT_EQ(soundSum("got.wav"), soundSum("song.flac"));
    EXPECT_TRUE(holds(relay.errors(), "receiving sound of 44.1 kHz")) << relay.errors();
}

/// A sender in this process, whose blocks are numbered.
struct NumberedSound {
    static constexpr SoundFormat kFormats[] = {{.rate = 48'000, .channels = 3, .maxSamples = 480},
                                               {.rate = 44'100, .channels = 2, .maxSamples = 441}};

    static float sampleOf(std::int64_t number, std::uint64_t index) {
        return std::sin(static_cast<float>(number * 1000) + static_cast<float>(index));
    }
    Status send(Broadcast& sender, const SoundFormat& format) {
        auto slot = slots.acquire(format, kLimit);
        if (!slot) {
            return Status::TimedOut;
        }
        const std::uint64_t samples = format.bytes(format.maxSamples) / sizeof(float);
        auto* const values = reinterpret_cast<float*>(slot->data());
        for (std::uint64_t i = 0; i < samples; ++i) {
            values[i] = sampleOf(next, i);
        }
        FrameInfo info;
        info.track = kSoundTrack;
        info.pts = next * 1000;
        info.capturedAt = 1'000'000'000 + next;
        ++next;
        return sender.submit(std::move(*slot), TrackFormat::ofSound(format), samples * sizeof(float), info,
                             never);
    }
    static void check(const ReceivedFrame& block, std::int64_t number, const SoundFormat& format) {
        EXPECT_EQ(*block.sound, format);
        EXPECT_EQ(block.info.pts, number * 1000);
        ASSERT_EQ(block.info.payloadBytes, format.bytes(format.maxSamples));
        const auto* const values = reinterpret_cast<const float*>(block.lease.data());
        for (std::uint64_t i = 0; i < block.info.payloadBytes / sizeof(float); ++i) {
            ASSERT_EQ(values[i], sampleOf(number, i)) << "block " << number << ", sample " << i;
        }
        if (block.clockKnown) {
            EXPECT_NEAR(static_cast<double>(block.capturedAt - (1'000'000'000 + number)), 0, 1e6);
        }
    }

    SoundSlots slots;
    std::int64_t next = 0;
    Event never;
};

TEST_P(RelayedSoundTest, KeepsItsTimesItsFormatsAndItsPolicy) {
    for (const Policy policy : {Policy::Lossless, Policy::Latest}) {
        SenderOptions options;
        options.url = parseUrl(from());
        options.policy = policy;
        options.peerTimeout = kLimit;
        options.hasSound = true;
        Broadcast sender(options);
        Verbcast relay({"relay", sender.listenAddresses().front(), "--once", "--listen", to()}, home_);
        TestSource pictures;
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        ASSERT_EQ(pictures.send(sender), Status::Ok);
        ReceiverOptions viewing = receiverOptions(viewersAddress(relay));
        viewing.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
        FrameReceiver viewer(viewing);
        ReceivedFrame frame;
        // Live: the first picture may have gone before the viewer came, who then gets the next ones.
        while (viewer.receive(frame, 100ms) != Status::Ok) {
            ASSERT_EQ(pictures.send(sender), Status::Ok);
        }
        frame = {};
        EXPECT_TRUE(viewer.hasSound());
        NumberedSound sound;
        for (const SoundFormat& format : NumberedSound::kFormats) {
            // Fewer than wait for a viewer, and without any picture.
            constexpr std::int64_t kBlocks = kSoundSlots / 4;
            for (std::int64_t i = 0; i < kBlocks; ++i) {
                ASSERT_EQ(sound.send(sender, format), Status::Ok);
            }
            for (std::int64_t number = sound.next - kBlocks; number < sound.next; ++number) {
                ASSERT_EQ(viewer.receive(frame, kLimit, kSoundTrack), Status::Ok) << relay.errors();
                EXPECT_EQ(frame.lossless, policy == Policy::Lossless);
                NumberedSound::check(frame, number, format);
                frame = {};
            }
        }
        // The last ones are not lost, however soon the end follows.
        ASSERT_EQ(sound.send(sender, NumberedSound::kFormats[1]), Status::Ok);
        auto finishing =
            std::async(std::launch::async, [&] { return sender.finish("done", kLimit, Event()); });
        ASSERT_EQ(viewer.receive(frame, kLimit, kSoundTrack), Status::Ok);
        NumberedSound::check(frame, sound.next - 1, NumberedSound::kFormats[1]);
        frame = {};
        while (viewer.receive(frame, kLimit) == Status::Ok) {
            frame = {};
        }
        EXPECT_EQ(viewer.receive(frame, kLimit, kSoundTrack), Status::Closed);
        EXPECT_EQ(finishing.get(), Status::Ok);
        EXPECT_TRUE(endsWith(relay, 0));
    }
}

TEST_P(RelayedSoundTest, IsNotPromisedWhereThereIsNone) {
    Verbcast sender({"send", "pattern:bars", "--size", "64x64", "--listen", from()}, home_);
    Verbcast relay({"relay", sender.listenAddress(), "--listen", to()}, home_);
    FrameReceiver viewer(receiverOptions(viewersAddress(relay)));
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_FALSE(viewer.hasSound());
}

INSTANTIATE_TEST_SUITE_P(Over, RelayedSoundTest, ::testing::Values("tcp", "shm"),
                         [](const auto& variant) { return std::string("from_") + variant.param; });

}  // namespace
}  // namespace verbcast::testing

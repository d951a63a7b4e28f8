// The sound of pipes and live addresses, which are read once for pictures and sound.
#include "capture/media/input/piped_sound.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "capture/media/input/open_media.h"
#include "capture/media/input/sound_tracks.h"
#include "core/transport/socket_address.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/capture/sound/heard.h"
#include "tests/support/loopback_listener.h"

namespace verbcast::testing {
namespace {

class PipedSoundTest : public FfmpegTest {
  protected:
    /// Moving pictures and two sound tracks, two seconds each.
    std::string clip() const {
        const std::string path = file("clip.mkv");
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i aevalsrc=random(0)-0.5:s=48000:d=2 "
            "-f lavfi -i aevalsrc=random(1)-0.5:s=48000:d=2 -map 0 -map 1 -map 2 -c:v ffv1 -c:a flac " +
            path);
        return path;
    }
    static std::unique_ptr<FrameSource> open(const std::string& source, std::uint32_t track,
                                             std::chrono::milliseconds start = {}) {
        return openSource({.source = source, .soundTrack = track, .start = start, .decoderThreads = 1});
    }
    /// The positions and samples of all sound that comes with the pictures.
    static Heard hearBeside(FrameSource& pictures, SoundSource& sound) {
        const Event never;
        Heard all;
        for (Status status = Status::Ok; status == Status::Ok;) {
            CapturedFrame frame;
            status = pictures.capture(frame, never);
            const Heard heard = hear(sound);
            all.blocks += heard.blocks;
            all.runs.insert(all.runs.end(), heard.runs.begin(), heard.runs.end());
            all.samples.insert(all.samples.end(), heard.samples.begin(), heard.samples.end());
        }
        return all;
    }
    static std::vector<float> ffmpegSamples(const std::string& path, int track) {
        const auto bytes = ffmpegRaw("-i " + path + " -map 0:a:" + std::to_string(track) + " -c:a pcm_f32le");
        std::vector<float> samples(bytes.size() / sizeof(float));
        std::memcpy(samples.data(), bytes.data(), bytes.size());
        return samples;
    }
    static std::string bytesOf(const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(PipedSoundTest, OfANamedPipeComesWithThePictures) {
    const std::string path = clip();
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(file("pipe"), std::ios::binary) << bytesOf(path); });
    const auto pictures = open(file("pipe"), 2);
    const auto sound = pictures->sound({});
    ASSERT_NE(sound, nullptr);
    EXPECT_EQ(sound->describe(), "sound of " + file("pipe") + " (flac)");
    EXPECT_FALSE(sound->canRewind());
    const Heard heard = hearBeside(*pictures, *sound);
    EXPECT_TRUE(heard.samples == ffmpegSamples(path, 1)) << heard.samples.size();
    EXPECT_GT(heard.runs.size(), 10U) << "it comes with the pictures";
    EXPECT_EQ(pictures->sound({}), nullptr);
}

TEST_F(PipedSoundTest, OfALiveAddressComesWithThePictures) {
    const std::string path = clip();
    const UniqueFd server = loopbackListener();
    const std::jthread writer([&] {
        const UniqueFd caller(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
        const std::string bytes = bytesOf(path);
        EXPECT_EQ(::send(caller.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    });
    const auto pictures = open("tcp://" + localAddressOf(server.get()).text(), 0);
    const auto sound = pictures->sound({});
    ASSERT_NE(sound, nullptr);
    EXPECT_EQ(describe(sound->format()), "48 kHz, 2 channels");
    const Heard heard = hearBeside(*pictures, *sound);
    std::vector<float> second;
    for (std::size_t i = 1; i < heard.samples.size(); i += 2) {
        second.push_back(heard.samples[i]);
    }
    EXPECT_TRUE(second == ffmpegSamples(path, 1)) << second.size();
}

TEST_F(PipedSoundTest, BeginsWhereThePicturesDo) {
    const std::string path = clip();
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(file("pipe"), std::ios::binary) << bytesOf(path); });
    const auto pictures = open(file("pipe"), 1, std::chrono::milliseconds(1200));
    const auto sound = pictures->sound({});
    ASSERT_NE(sound, nullptr);
    sound->seek(std::chrono::milliseconds(1200));
    const Heard heard = hearBeside(*pictures, *sound);
    ASSERT_FALSE(heard.runs.empty());
    EXPECT_EQ(heard.runs.front().at, 57600);
    const std::vector<float> whole = ffmpegSamples(path, 0);
    EXPECT_TRUE(heard.samples == std::vector<float>(whole.begin() + 57600, whole.end()));
}

TEST_F(PipedSoundTest, WhatNobodyTakesIsDroppedFromTheOldestOn) {
    ffmpeg("-f lavfi -i sine=d=2:r=48000 -f lavfi -i sine=d=2:r=48000 -map 0 -map 1 -c:a pcm_s16le " +
           file("two.nut"));
    const OpenedMedia media = openMedia({.path = file("two.nut")});
    constexpr std::size_t kLimit = 20'000;
    PipedSound sound(file("two.nut"), *media.context, chooseSoundTracks(*media.context, file("two.nut"), 2),
                     kLimit);
    const PacketPtr packet = newPacket();
    std::size_t track = 7;
    EXPECT_EQ(sound.read(*packet, track), AVERROR(EAGAIN));
    std::int64_t last = 0;
    for (; av_read_frame(media.context.get(), packet.get()) == 0; av_packet_unref(packet.get())) {
        last = packet->stream_index == 1 ? packet->pts : last;
        sound.keep(*packet);
    }
    sound.end(AVERROR_EOF);
    EXPECT_EQ(sound.read(*packet, track), AVERROR(ENOBUFS));
    std::size_t bytes = 0;
    std::int64_t pts = 0;
    int code = 0;
    for (; (code = sound.read(*packet, track)) == 0; av_packet_unref(packet.get())) {
        EXPECT_EQ(track, 0U);
        EXPECT_EQ(packet->stream_index, 1);
        bytes += static_cast<std::size_t>(packet->size);
        pts = packet->pts;
    }
    EXPECT_EQ(code, AVERROR_EOF);
    EXPECT_EQ(pts, last);
    EXPECT_GT(bytes, kLimit / 2);
    EXPECT_LE(bytes, kLimit);
}

}  // namespace
}  // namespace verbcast::testing

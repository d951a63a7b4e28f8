// Files with sound, read back by ffmpeg and ffprobe.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/output/frame_sink.h"
#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "core/video/video_format.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/support/child_process.h"

namespace verbcast::testing {
namespace {

constexpr SoundFormat kStereo{.rate = 48'000, .channels = 2, .maxSamples = 480, .layout = 0x3};
constexpr std::uint32_t kBlock = 240;
constexpr std::int64_t kPicture = 1920;  // samples that a picture lasts

/// Any bits, NaN too, that tell channel and sample.
float bitsOf(std::int64_t index, std::uint16_t channel) {
    const auto bits = static_cast<std::uint32_t>(index * 2654435761 + channel * 40503 + 1);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// `count` samples of each channel, `at` the first one's index.
std::vector<std::byte> blockOf(const SoundFormat& format, std::int64_t at, std::uint32_t count) {
    std::vector<std::byte> bytes(format.bytes(count));
    for (std::uint32_t i = 0; i < count * format.channels; ++i) {
        const float value = bitsOf(at + i % count, static_cast<std::uint16_t>(i / count));
        std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    return bytes;
}

/// As in a file, `silent` samples of silence before them.
std::string inFile(const SoundFormat& format, std::int64_t at, std::int64_t count, std::int64_t silent = 0) {
    std::string bytes(format.bytes(static_cast<std::uint64_t>(silent)), '\0');
    for (std::int64_t i = 0; i < count * format.channels; ++i) {
        const float value = bitsOf(at + i / format.channels, static_cast<std::uint16_t>(i % format.channels));
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

/// What ffmpeg makes of a file.
struct Read {
    std::string sound;                             ///< interleaved floats
    double firstPicture = NAN, firstSample = NAN;  ///< seconds
    int pictures = 0;
};

/// The begins of tracks, from framemd5's list.
void parseTimes(std::istream& list, Read& read) {
    std::map<int, double> unit;
    std::map<int, bool> isVideo;
    for (std::string line; std::getline(list, line);) {
        int track = 0;
        double numerator = 0, denominator = 1, dts = 0, pts = 0;
        if (std::sscanf(line.c_str(), "#tb %d: %lf/%lf", &track, &numerator, &denominator) == 3) {
            unit[track] = numerator / denominator;
        } else if (line.starts_with("#media_type ")) {
            isVideo[std::atoi(line.c_str() + 12)] = line.ends_with("video");
        } else if (std::sscanf(line.c_str(), "%d, %lf, %lf,", &track, &dts, &pts) == 3) {
            double& first = isVideo[track] ? read.firstPicture : read.firstSample;
            first = std::isnan(first) ? pts * unit[track] : first;
            read.pictures += isVideo[track] ? 1 : 0;
        }
    }
}

/// One start of ffmpeg for all files, in their order. The files' own times, not shifted to 0.
std::vector<Read> readBack(const std::vector<std::string>& paths) {
    std::vector<std::string> command{"ffmpeg", "-nostdin", "-v", "error", "-y", "-copyts"};
    for (const std::string& path : paths) {
        command.insert(command.end(), {"-i", path});
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string input = std::to_string(i);
        command.insert(command.end(), {"-map", input + ":a?", "-map", input + ":v?", "-c:a", "pcm_f32le",
                                       "-c:v", "copy", "-f", "framemd5", paths[i] + ".times"});
        if (!paths[i].ends_with(".y4m")) {
            command.insert(command.end(),
                           {"-map", input + ":a", "-c:a", "pcm_f32le", "-f", "f32le", paths[i] + ".sound"});
        }
    }
    ChildProcess child(command);
    EXPECT_EQ(child.waitForEnd(), 0) << child.errors();
    std::vector<Read> all(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        std::ifstream sound(paths[i] + ".sound", std::ios::binary), times(paths[i] + ".times");
        all[i].sound.assign(std::istreambuf_iterator<char>(sound), {});
        parseTimes(times, all[i]);
    }
    return all;
}

/// Does not print megabytes.
void expectSame(const std::string& got, const std::string& expected) {
    const auto differs = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
    EXPECT_TRUE(got == expected) << got.size() << " of " << expected.size() << " bytes, which differ at "
                                 << differs.first - got.begin();
}

/// `distance`: from the first picture to the first sample that is not silent, in samples.
void expectDistance(const Read& read, const SoundFormat& format, std::int64_t distance, std::int64_t count) {
    const std::size_t silent = read.sound.find_first_not_of('\0') / format.bytes(1);
    EXPECT_LT(silent, format.rate / 100);
    expectSame(read.sound, inFile(format, 0, count, static_cast<std::int64_t>(silent)));
    EXPECT_NEAR((read.firstSample - read.firstPicture) * format.rate + static_cast<double>(silent),
                static_cast<double>(distance), 0.01);
}

class SoundRecording : public FfmpegTest {
  protected:
    void SetUp() override {
        FfmpegTest::SetUp();
        std::signal(SIGPIPE, SIG_IGN);
        picture_ = tightFormat(64, 48, PixelFormat::yuv420p);
        picture_.timeBase = {1, 25};
        picture_.frameRate = {25, 1};
        payload_.resize(picture_.payloadBytes);
    }

    void open(const VideoFile& file) { sink_ = openSink(file, cancel_); }
    void openFor(const std::string& name, Container container, const SoundFormat& format = kStereo) {
        open({.path = file(name), .container = container, .existing = Existing::Replaced, .sound = format});
    }
    Status picture(std::int64_t pts) {
        FrameInfo info;
        info.pts = pts;
        return sink_->write(picture_, info, payload_.data());
    }
    /// Blocks with the samples [at, at + count), the first at `pts`.
    Status sound(std::int64_t at, std::int64_t count, std::int64_t pts, const SoundFormat& format = kStereo) {
        Status status = Status::Ok;
        for (std::int64_t i = 0; i < count && status == Status::Ok; i += kBlock) {
            const auto samples = static_cast<std::uint32_t>(std::min<std::int64_t>(kBlock, count - i));
            status = sink_->writeSound(format, pts + i, blockOf(format, at + i, samples));
        }
        return status;
    }
    void finish() { EXPECT_EQ(sink_->finish(), Status::Ok); }
    bool noted(const std::string& text) const {
        for (const std::string& note : sink_->notes()) {
            if (note.find(text) != std::string::npos) {
                return true;
            }
        }
        return false;
    }
    std::string notes() const {
        std::string all;
        for (const std::string& note : sink_->notes()) {
            all += note + '\n';
        }
        return all;
    }

    /// A picture, then as much sound; from the given times on.
    void writeBoth(int pictures, std::int64_t firstPicture, std::int64_t firstSound,
                   const SoundFormat& format = kStereo) {
        for (int i = 0; i < pictures; ++i) {
            ASSERT_EQ(picture(firstPicture + i), Status::Ok);
            ASSERT_EQ(sound(i * kPicture, kPicture, firstSound + i * kPicture, format), Status::Ok);
        }
    }

    Event cancel_;
    VideoFormat picture_;
    std::vector<std::byte> payload_;
    std::unique_ptr<FrameSink> sink_;
};

struct RecordedFile {
    const char* name;
    Container container;
    const char* encoder;
};
constexpr RecordedFile kRecordedFiles[] = {{"a.nut", Container::Nut, ""},
                                           {"a.mkv", Container::Matroska, ""},
                                           {"a.mov", Container::Quicktime, "mpeg4"}};

TEST_F(SoundRecording, EveryBitIsKeptAtItsTime) {
    std::vector<std::string> paths;
    std::vector<std::int64_t> distances;
    for (const RecordedFile& one : kRecordedFiles) {
        for (const std::int64_t distance : {0, -3607, 607}) {
            paths.push_back(file(std::to_string(distance) + one.name));
            distances.push_back(distance);
            open(
                {.path = paths.back(), .container = one.container, .encoder = one.encoder, .sound = kStereo});
            ASSERT_EQ(sound(0, distance < 0 ? 4000 : 0, 1000 * kPicture + distance), Status::Ok);
            ASSERT_EQ(picture(1000), Status::Ok);
            const std::int64_t begun = distance < 0 ? 4000 : 0;
            ASSERT_EQ(sound(begun, 8000 - begun, 1000 * kPicture + distance + begun), Status::Ok);
            ASSERT_EQ(picture(1001), Status::Ok);
            finish();
            EXPECT_EQ(notes(), "");
        }
    }
    const std::vector<Read> all = readBack(paths);
    for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(paths[i]);
        EXPECT_EQ(all[i].pictures, 2);
        expectDistance(all[i], kStereo, distances[i], 8000);
        if (distances[i] >= 0) {
            EXPECT_EQ(all[i].firstPicture, 0);
        }
    }
}

class ThoroughSoundRecording : public SoundRecording {};

TEST_F(ThoroughSoundRecording, EveryRateAndTimeBaseKeepTheirDistance) {
    for (const std::uint32_t rate : {8'000U, 44'100U, 192'000U}) {
        for (const Rational timeBase :
             {Rational{1001, 60'000}, Rational{1, 90'000}, Rational{1, 1'000'000'000}}) {
            for (const RecordedFile& one : kRecordedFiles) {
                SCOPED_TRACE(std::to_string(rate) + " " + std::to_string(timeBase.denominator));
                const SoundFormat format{.rate = rate, .channels = 3, .maxSamples = 80};
                picture_.timeBase = timeBase;
                const auto second = static_cast<std::int64_t>(std::llround(1 / timeBase.value()));
                open({.path = file(one.name),
                      .container = one.container,
                      .encoder = one.encoder,
                      .existing = Existing::Replaced,
                      .sound = format});
                // Some pictures' times lie between two samples.
                const std::int64_t at =
                    static_cast<std::int64_t>(std::llround(second * timeBase.value() * rate));
                for (std::int64_t i = 0; i < 4000; i += 80) {
                    ASSERT_EQ(sink_->writeSound(format, at - 1237 + i, blockOf(format, i, 80)), Status::Ok);
                }
                ASSERT_EQ(picture(second), Status::Ok);
                ASSERT_EQ(picture(2 * second), Status::Ok);
                finish();
                expectDistance(readBack({file(one.name)}).front(), format, -1237, 4000);
            }
        }
    }
}

TEST_F(SoundRecording, SmallDifferencesFollowEachOtherAndGapsAreSilent) {
    openFor("a.wav", Container::Wav);
    ASSERT_EQ(sound(0, 480, 7000), Status::Ok);
    ASSERT_EQ(sound(480, 480, 7480 + 959), Status::Ok);   // late by less than 20 ms
    ASSERT_EQ(sound(960, 480, 7960 - 959), Status::Ok);   // early
    ASSERT_EQ(sound(1440, 480, 8440 + 960), Status::Ok);  // 20 ms are missing
    ASSERT_EQ(sound(1920, 480, 9880 + 48'000), Status::Ok);
    ASSERT_EQ(sound(2400, 2400, 58'360 - 1000), Status::Ok);  // 1000 samples once more
    finish();
    const std::string expected = inFile(kStereo, 0, 1440) + inFile(kStereo, 1440, 480, 960) +
                                 inFile(kStereo, 1920, 480, 48'000) + inFile(kStereo, 3400, 1400);
    expectSame(readBack({file("a.wav")}).front().sound, expected);
    EXPECT_TRUE(noted("1.020 s of silence stand for it, in 2 places")) << notes();
    EXPECT_TRUE(noted("0.021 s of sound are left out, in 1 place")) << notes();
}

/// Of samples that count from 1 on, modulo kCounts.
struct Seams {
    std::int64_t samples = 0, silent = 0, repeated = 0, leftOut = 0, other = 0;
};
constexpr std::int64_t kCounts = 1 << 20;

Seams seamsOf(const std::string& wav) {
    const std::string_view sound = std::string_view(wav).substr(wav.find("data") + 8);
    Seams seams{.samples = static_cast<std::int64_t>(sound.size() / sizeof(float))};
    float last = 0;
    for (std::size_t at = 0; at < sound.size(); at += sizeof(float)) {
        float sample = 0;
        std::memcpy(&sample, sound.data() + at, sizeof sample);
        const auto step = static_cast<std::int64_t>(sample - last + kCounts) % kCounts;
        if (sample == 0) {
            ++seams.silent;
        } else if (step == 0) {
            ++seams.repeated;
        } else if (step == 2) {
            ++seams.leftOut;
        } else if (step != 1) {
            ++seams.other;
        }
        last = sample;
    }
    return seams;
}

TEST_F(SoundRecording, AClockThatGoesItsOwnWayIsFollowedSampleBySample) {
    constexpr SoundFormat kMono{.rate = 8000, .channels = 1, .maxSamples = 80};
    constexpr std::int64_t kBlocks = 60 * 100;
    for (const std::int64_t drift : {32, -32}) {  // thousandths of a sample in each block: 400 ppm
        SCOPED_TRACE(drift);
        const auto timeOf = [drift](std::int64_t block) { return 80 * block + block * drift / 1000; };
        openFor("a.wav", Container::Wav, kMono);
        std::vector<float> block(80);
        for (std::int64_t i = 0; i < kBlocks; ++i) {
            for (std::int64_t at = 0; at < 80; ++at) {
                block[static_cast<std::size_t>(at)] = static_cast<float>((80 * i + at) % kCounts + 1);
            }
            ASSERT_EQ(sink_->writeSound(kMono, timeOf(i), std::as_bytes(std::span(block))), Status::Ok);
        }
        finish();
        EXPECT_EQ(notes(), "");
        std::ifstream wav(file("a.wav"), std::ios::binary);
        const Seams seams = seamsOf({std::istreambuf_iterator<char>(wav), {}});
        EXPECT_LE(std::abs(seams.samples - timeOf(kBlocks)), 88) << "11 ms";
        EXPECT_GT(std::abs(seams.samples - 80 * kBlocks), 100);
        EXPECT_EQ(seams.silent, 0);
        EXPECT_EQ(seams.repeated, std::max<std::int64_t>(seams.samples - 80 * kBlocks, 0));
        EXPECT_EQ(seams.leftOut, std::max<std::int64_t>(80 * kBlocks - seams.samples, 0));
        EXPECT_EQ(seams.other, 0);
    }
}

TEST_F(SoundRecording, BesideAY4mLiesAWavThatBeginsWithItsFirstPicture) {
    openFor("early.y4m", Container::Y4m);
    ASSERT_EQ(sound(0, 3600, 5 * kPicture - 3607), Status::Ok);
    ASSERT_EQ(picture(5), Status::Ok);
    ASSERT_EQ(sound(3600, 2400, 5 * kPicture - 7), Status::Ok);
    finish();
    EXPECT_TRUE(noted("y4m holds no sound: it is in " + file("early.wav"))) << notes();
    openFor("late.y4m", Container::Y4m);
    ASSERT_EQ(picture(5), Status::Ok);
    ASSERT_EQ(sound(0, 6000, 5 * kPicture + 607), Status::Ok);
    finish();
    const std::vector<Read> all = readBack({file("early.wav"), file("late.wav"), file("early.y4m")});
    expectSame(all[0].sound, inFile(kStereo, 3607, 6000 - 3607));
    expectSame(all[1].sound, inFile(kStereo, 0, 6000, 607));
    EXPECT_EQ(all[2].pictures, 1);
}

TEST_F(SoundRecording, AWavIsExtensibleFloatWithRoomToGrow) {
    const SoundFormat many{.rate = 96'000, .channels = 64, .maxSamples = 240};
    for (const auto& [name, format] : {std::pair{"stereo.wav", kStereo}, std::pair{"many.wav", many}}) {
        openFor(name, Container::Wav, format);
        ASSERT_EQ(sound(0, 2400, 0, format), Status::Ok);
        finish();
        std::ifstream wav(file(name), std::ios::binary);
        std::string head(128, '\0');
        wav.read(head.data(), static_cast<std::streamsize>(head.size()));
        EXPECT_EQ(head.substr(8, 8), "WAVEJUNK");  // becomes the ds64 of RF64
        const std::size_t fmt = head.find("fmt ");
        ASSERT_NE(fmt, std::string::npos);
        EXPECT_EQ(head.substr(fmt + 8, 2), "\xfe\xff");
        EXPECT_EQ(head.substr(fmt + 32, 2), std::string("\x03\0", 2));  // WAVE_FORMAT_IEEE_FLOAT
    }
    const std::vector<Read> all = readBack({file("stereo.wav"), file("many.wav")});
    expectSame(all[0].sound, inFile(kStereo, 0, 2400));
    expectSame(all[1].sound, inFile(many, 0, 2400));
}

TEST_F(SoundRecording, SoundAloneAndWhereNoPictureComes) {
    std::vector<std::string> paths;
    for (const RecordedFile& one : kRecordedFiles) {
        for (const bool promised : {false, true}) {
            paths.push_back(file((promised ? "promised-" : "alone-") + std::string(one.name)));
            open({.path = paths.back(), .container = one.container, .pictures = promised, .sound = kStereo});
            ASSERT_EQ(sound(0, 4800, 12'345), Status::Ok);
            finish();
        }
    }
    for (const Read& read : readBack(paths)) {
        expectSame(read.sound, inFile(kStereo, 0, 4800));
        EXPECT_EQ(read.firstSample, 0);
        EXPECT_EQ(read.pictures, 0);
    }
}

TEST_F(SoundRecording, SoundFromLongBeforeTheFirstPictureIsBounded) {
    openFor("a.nut", Container::Nut);
    ASSERT_EQ(sound(0, 6 * 48'000, 0), Status::Ok);
    ASSERT_EQ(picture(25 * 6), Status::Ok);
    finish();
    EXPECT_TRUE(noted("sound from more than 5 s before the first picture is left out")) << notes();
    const Read read = readBack({file("a.nut")}).front();
    expectSame(read.sound, inFile(kStereo, 48'000, 5 * 48'000));
    EXPECT_DOUBLE_EQ(read.firstPicture - read.firstSample, 5);
}

/// The time of the loudest sample, in seconds.
double peakIn(const Read& read) {
    std::vector<float> samples(read.sound.size() / sizeof(float));
    std::memcpy(samples.data(), read.sound.data(), samples.size() * sizeof(float));
    const auto peak = std::max_element(samples.begin(), samples.end()) - samples.begin();
    return read.firstSample + static_cast<double>(peak) / kStereo.channels / kStereo.rate;
}

TEST_F(SoundRecording, EncodersOfFfmpegsTakeTheSound) {
    struct Encoded {
        const char* name;
        Container container;
        const char* encoder;
        bool integers;
        double tolerance;  ///< seconds
    };
    const std::vector<Encoded> encoded{{"a.mp4", Container::Mp4, "aac,b=128k", false, 0.0001},
                                       {"f.mkv", Container::Matroska, "flac", true, 0.00001},
                                       {"a.nut", Container::Nut, "aac", false, 0.0001},
                                       {"o.mkv", Container::Matroska, "libopus", false, 0.001},
                                       {"p.mov", Container::Quicktime, "pcm_s24le", true, 0.00001}};
    std::vector<std::string> paths;
    for (const Encoded& one : encoded) {
        SCOPED_TRACE(one.name);
        paths.push_back(file(one.name));
        open({.path = paths.back(),
              .container = one.container,
              .encoder = "mpeg4",
              .sound = kStereo,
              .soundEncoder = one.encoder});
        for (int i = 0; i < 25; ++i) {
            ASSERT_EQ(picture(i), Status::Ok);
            for (std::int64_t at = i * kPicture; at < (i + 1) * kPicture; at += 480) {
                std::vector<float> block(std::size_t{480} * kStereo.channels);
                block[0] = block[480] = at == 12 * kPicture ? 0.9F : 0;
                ASSERT_EQ(sink_->writeSound(kStereo, at, std::as_bytes(std::span(block))), Status::Ok);
            }
        }
        finish();
        EXPECT_EQ(noted("the sound's 32-bit floats are converted to s32"), one.integers) << notes();
    }
    const std::vector<Read> all = readBack(paths);
    for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(paths[i]);
        EXPECT_EQ(all[i].pictures, 25);
        EXPECT_NEAR(peakIn(all[i]) - all[i].firstPicture, 0.48, encoded[i].tolerance);
    }
}

TEST_F(SoundRecording, AFileForAPipeSaysWhenItsTracksBegin) {
    const std::string pipe = file("pipe"), copy = file("copy.mov");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    ChildProcess reader({"cp", pipe, copy});
    open({.path = pipe, .container = Container::Quicktime, .encoder = "mpeg4", .sound = kStereo});
    ASSERT_EQ(sound(0, 4000, 5 * kPicture - 3607), Status::Ok);
    for (int i = 5; i < 30; ++i) {
        ASSERT_EQ(picture(i), Status::Ok);
    }
    finish();
    sink_.reset();
    EXPECT_EQ(reader.waitForEnd(), 0);
    expectDistance(readBack({copy}).front(), kStereo, -3607, 4000);
}

TEST_F(SoundRecording, AFileForAPipeDoesNotWaitForSoundForLong) {
    const std::string pipe = file("pipe"), copy = file("copy.mov");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    ChildProcess reader({"cp", pipe, copy});
    open({.path = pipe, .container = Container::Quicktime, .encoder = "mpeg4", .sound = kStereo});
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(picture(i), Status::Ok);
    }
    EXPECT_GT(sink_->bytesWritten(), 1000U);  // the first fragment
    std::vector<float> block(std::size_t{kBlock} * kStereo.channels, 0.5F);
    ASSERT_EQ(sink_->writeSound(kStereo, 50 * kPicture + 7, std::as_bytes(std::span(block))), Status::Ok);
    finish();
    sink_.reset();
    EXPECT_EQ(reader.waitForEnd(), 0);
    const Read read = readBack({copy}).front();
    EXPECT_EQ(read.pictures, 50);
    EXPECT_EQ(read.firstSample, 0);
    EXPECT_EQ(read.sound.find_first_not_of('\0') / kStereo.bytes(1), 50U * kPicture + 7);
}

TEST_F(SoundRecording, PacketsOfPicturesThatAnEncoderKeepsAreInOrderOfTime) {
    open({.path = file("a.mkv"),
          .container = Container::Matroska,
          .encoder = "libx264,preset=veryfast",
          .sound = kStereo});
    writeBoth(50, 0, 0);
    finish();
    ChildProcess ffprobe(
        {"ffprobe", "-v", "error", "-show_entries", "packet=dts_time", "-of", "csv=p=0", file("a.mkv")});
    ASSERT_EQ(ffprobe.waitForEnd(), 0);
    std::istringstream lines(ffprobe.output());
    double last = -1;
    for (std::string line; std::getline(lines, line);) {
        if (const double time = std::atof(line.c_str()); line[0] != 'N') {
            EXPECT_GE(time, last - 0.001);
            last = time;
        }
    }
    EXPECT_NEAR(last, 1.995, 0.001);
}

TEST_F(SoundRecording, ASenderThatStartsOverKeepsItsDistance) {
    for (const bool soundFirst : {false, true}) {
        openFor(soundFirst ? "sound.nut" : "picture.nut", Container::Nut);
        writeBoth(30, 1000, 1000 * kPicture + 100);
        if (!soundFirst) {
            ASSERT_EQ(picture(0), Status::Ok);
        }
        ASSERT_EQ(sound(30 * kPicture, kPicture, 100), Status::Ok);
        if (soundFirst) {
            ASSERT_EQ(picture(0), Status::Ok);
        }
        ASSERT_EQ(picture(1), Status::Ok);
        ASSERT_EQ(sound(31 * kPicture, kPicture, kPicture + 100), Status::Ok);
        finish();
        EXPECT_EQ(noted("jumped, 1 time"), soundFirst) << notes();
    }
    // The new pictures follow the old ones, and so does the sound.
    for (const Read& read : readBack({file("sound.nut"), file("picture.nut")})) {
        expectDistance(read, kStereo, 100, 32 * kPicture);
        EXPECT_EQ(read.pictures, 32);
    }
}

TEST_F(SoundRecording, ADayAheadOrBackIsNotBelievedOfSoundAlone) {
    constexpr std::int64_t kDay = 86'400LL * 48'000;
    openFor("a.nut", Container::Nut);
    writeBoth(3, 0, 0);
    for (const std::int64_t wrong : {kDay, -kDay, INT64_MAX, INT64_MIN + kPicture}) {
        ASSERT_EQ(sound(0, kBlock, wrong), Status::Ok);
    }
    ASSERT_EQ(picture(3), Status::Ok);
    ASSERT_EQ(sound(3 * kPicture, kPicture, 3 * kPicture), Status::Ok);
    finish();
    EXPECT_TRUE(noted("the sound's times have jumped, 4 times")) << notes();
    const Read read = readBack({file("a.nut")}).front();
    EXPECT_EQ(read.firstPicture, 0);
    EXPECT_EQ(read.pictures, 4);
    EXPECT_EQ(read.sound.size(), kStereo.bytes(4 * kPicture));
}

TEST_F(SoundRecording, AfterALongTimeWithoutSoundItsTimesTell) {
    openFor("a.nut", Container::Nut);
    writeBoth(2, 0, 0);
    constexpr std::int64_t kLater = 25 * 3600;
    ASSERT_EQ(picture(kLater), Status::Ok);
    ASSERT_EQ(sound(2 * kPicture, kPicture, kLater * kPicture), Status::Ok);
    finish();
    EXPECT_TRUE(noted("1 gap in the sound, of more than 600 s, is not filled")) << notes();
    ChildProcess ffprobe({"ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts",
                          "-of", "csv=p=0", file("a.nut")});
    ASSERT_EQ(ffprobe.waitForEnd(), 0);
    EXPECT_NE(ffprobe.output().find(std::to_string(kLater * kPicture)), std::string::npos);
}

TEST_F(SoundRecording, OfNothingIsNoWave) {
    const Event never;
    const auto sink = openSink({.path = file("none.wav"), .container = Container::Wav}, never);
    EXPECT_THROW(static_cast<void>(sink->finish()), Error);
}

TEST_F(SoundRecording, WhatCannotBeWrittenIsRefusedWithAReason) {
    struct Refused {
        VideoFile file;
        const char* why;
        const char* remedy;
    };
    std::ofstream(file("kept.wav")) << "mine";
    const SoundFormat tooMany{.channels = 65};
    for (const Refused& one :
         {Refused{{.path = file("a.mp4"), .container = Container::Mp4, .encoder = "mpeg4", .sound = kStereo},
                  "mp4 does not hold sound as it is (pcm_f32le)",
                  "record into .mov or Matroska (.mkv)"},
          Refused{{.path = file("a.mp4"),
          .container = Container::Mp4,
          .encoder = "mpeg4",
          .sound = kStereo,
          .soundEncoder = "pcm_s24le"},
                  "--audio-encoder pcm_s24le: mp4 does not hold pcm_s24le",
                  "Matroska"},
          Refused{{.path = "-", .container = Container::Y4m, .sound = kStereo},
                  "y4m holds no sound, and beside standard output there is no place",
                  "NUT (.nut)"},
          Refused{{.path = "/dev/null", .container = Container::Rawvideo, .sound = kStereo},
                  "rawvideo holds no sound, and beside /dev/null there is no place",
                  "NUT (.nut)"},
          Refused{{.path = file("a.wav"), .container = Container::Y4m, .sound = kStereo},
                  "which goes into that file",
                  "does not end with .wav"},
          Refused{{.path = file("a.y4m"), .container = Container::Y4m, .pictures = false, .sound = kStereo},
                  "y4m holds no sound",
                  "NUT (.nut)"},
          Refused{{.path = file("a.mkv"),
          .container = Container::Matroska,
          .sound = kStereo,
          .soundEncoder = "ffv1"},
                  "--audio-encoder ffv1: this FFmpeg has no encoder for sound",
                  "-encoders"},
          Refused{{.path = file("a.mkv"),
          .container = Container::Matroska,
          .sound = kStereo,
          .soundEncoder = "aac,nosuch=1"},
                  "--audio-encoder aac: it has no option nosuch",
                  "-h encoder=aac"},
          Refused{{.path = file("a.mkv"),
          .container = Container::Matroska,
          .sound = SoundFormat{.rate = 44'100, .maxSamples = 441},
          .soundEncoder = "libopus"},
                  "--audio-encoder libopus: it does not take sound of 44.1 kHz, 2 channels",
                  "-h encoder"},
          Refused{
              {.path = file("a.wav"), .container = Container::Wav, .sound = kStereo, .soundEncoder = "aac"},
              "which wav does not have",
              "pcm_"},
          Refused{{.path = file("a.nut"), .sound = tooMany}, "65 channels: 1 to 64 expected", ""},
          Refused{
              {.path = file("kept.y4m"), .container = Container::Y4m, .sound = kStereo}, "kept.wav", ""}}) {
        SCOPED_TRACE(one.why);
        try {
            open(one.file);
            ADD_FAILURE() << "not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(std::string(error.what()).find(one.why), std::string::npos) << error.what();
            EXPECT_NE(error.remedy().find(one.remedy), std::string::npos) << error.remedy();
        }
        EXPECT_FALSE(std::filesystem::exists(one.file.path) && one.file.path.starts_with(file("")));
    }
}

TEST_F(SoundRecording, AFullDiskSaysWhatIsWritten) {
    open({.path = "/dev/full", .existing = Existing::Emptied, .pictures = false, .sound = kStereo});
    try {
        static_cast<void>(sound(0, 4800, 0));
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resource);
        EXPECT_NE(std::string(error.what()).find("0 bytes were written until then, 0.000 s of sound"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(SoundRecording, AReaderThatLeavesAndACancelEndIt) {
    const std::string pipe = file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    {
        const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        open({.path = pipe, .existing = Existing::Emptied, .pictures = false, .sound = kStereo});
        ASSERT_EQ(sound(0, kBlock, 0), Status::Ok);
    }
    EXPECT_EQ(sound(kBlock, kBlock, kBlock), Status::Closed);
    EXPECT_EQ(sink_->finish(), Status::Closed);
    open({.path = pipe, .existing = Existing::Emptied, .pictures = false, .sound = kStereo});
    cancel_.notify();
    EXPECT_EQ(sound(0, kBlock, 0), Status::Cancelled);  // while it waits for a reader
}

TEST_F(SoundRecording, OneFileHoldsOneFormat) {
    openFor("a.nut", Container::Nut);
    ASSERT_EQ(picture(0), Status::Ok);
    ASSERT_EQ(sound(0, kPicture, 0), Status::Ok);
    const SoundFormat other{.rate = 44'100, .channels = 2, .maxSamples = 441, .layout = 0x3};
    try {
        static_cast<void>(sound(0, kBlock, 1764, other));
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(std::string(error.what())
                      .find("from 48 kHz, 2 channels (stereo) to 44.1 kHz, 2 channels "
                            "(stereo), which one file cannot hold"),
                  std::string::npos)
            << error.what();
    }
    finish();
    expectSame(readBack({file("a.nut")}).front().sound, inFile(kStereo, 0, kPicture));
}

}  // namespace
}  // namespace verbcast::testing

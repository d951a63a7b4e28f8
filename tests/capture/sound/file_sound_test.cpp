// The sound of files against what the ffmpeg program makes of it: each sample, and where it belongs.
#include "capture/media/reopened_sound.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "tests/capture/ffmpeg_reference.h"
#include "tests/capture/sound/heard.h"

namespace verbcast::testing {
namespace {

constexpr const char* kLater = "-itsoffset 0.5 ";
constexpr const char* kAac = "-c:a aac -aac_pns 0 ";  // PNS: noise of the decoder's own

std::string pictures(const std::string& before = {}) {
    return before + "-f lavfi -i testsrc2=s=64x48:r=25:d=2 ";
}

/// Two channels of different noise: each place sounds like no other.
std::string noise(int rate = 48000, const std::string& more = ":d=2") {
    return "-f lavfi -i aevalsrc=0.5*random(0)-0.25|0.5*random(1)-0.25:s=" + std::to_string(rate) + more +
           ' ';
}

std::unique_ptr<SoundSource> soundOf(const std::string& path, std::uint32_t track = 1) {
    return openFileSound(path, "", {.track = track});
}

std::vector<float> ffmpegSamples(const std::string& arguments) {
    const std::vector<std::uint8_t> bytes = ffmpegRaw(arguments + " -c:a pcm_f32le");
    std::vector<float> samples(bytes.size() / sizeof(float));
    std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
    return samples;
}

/// The positions that ffmpeg gives the samples, from the beginning of the file.
std::vector<HeardRun> ffmpegRuns(const std::string& arguments, std::uint32_t channels) {
    std::vector<HeardRun> runs;
    for (const FrameSum& frame : ffmpegFrameSums(arguments + " -c:a pcm_f32le")) {
        if (runs.empty() || runs.back().at + runs.back().samples != frame.pts) {
            runs.push_back({.at = frame.pts, .samples = 0});
        }
        runs.back().samples += static_cast<std::int64_t>(frame.bytes / sizeof(float) / channels);
    }
    return runs;
}

struct FileCase {
    std::string name, extension, arguments;
    std::uint32_t rate = 48000;
    int tick = 0;           ///< of the file's time stamps, in samples
    std::int64_t at = 0;    ///< where the sound begins
    bool exactSeek = true;  ///< what is decoded after a seek is the same, bit by bit
    std::uint32_t channels = 2;
};
void PrintTo(const FileCase& file, std::ostream* out) {
    *out << file.name;
}

class FileSounds : public FfmpegTest, public ::testing::WithParamInterface<FileCase> {
  protected:
    void expectSeeks(SoundSource& source, const Heard& whole) const;
};

TEST_P(FileSounds, AreBitByBitWhereFfmpegPutsThem) {
    const FileCase& tested = GetParam();
    const std::string path = file("clip" + tested.extension);
    ffmpeg(tested.arguments + path);
    const auto source = soundOf(path);
    ASSERT_NE(source, nullptr);
    EXPECT_EQ(source->format().rate, tested.rate);
    EXPECT_EQ(source->format().channels, tested.channels);
    EXPECT_EQ(source->format().maxSamples, tested.rate / 200);
    EXPECT_FALSE(source->isLive());
    const Heard whole = hear(*source);
    EXPECT_TRUE(whole.samples == ffmpegSamples("-i " + path + " -map 0:a:0")) << whole.samples.size();
    ASSERT_EQ(whole.runs.size(), 1U);
    EXPECT_EQ(whole.runs.front().at, tested.at);
    // ffmpeg's own positions are as coarse as the file's time stamps.
    std::int64_t at = tested.at;
    for (const HeardRun& run : ffmpegRuns("-i " + path + " -map 0:a:0", tested.channels)) {
        EXPECT_NEAR(static_cast<double>(run.at), static_cast<double>(at), tested.tick);
        at += run.samples;
    }
    expectSeeks(*source, whole);
    expectSeeks(*soundOf(path), whole);
    EXPECT_EQ(source->notes(), std::vector<std::string>());
}

void FileSounds::expectSeeks(SoundSource& source, const Heard& whole) const {
    const std::int64_t begin = whole.runs.front().at;
    for (const int milliseconds : {1700, 1234, 3, 1501, 0, 1950}) {
        SCOPED_TRACE(milliseconds);
        source.seek(std::chrono::milliseconds(milliseconds));
        const std::int64_t sought = std::llround(milliseconds / 1e3 * GetParam().rate);
        const Heard heard = hear(source, 2000);
        ASSERT_FALSE(heard.runs.empty());
        ASSERT_EQ(heard.runs.front().at, std::max(sought, begin));
        const auto skipped = static_cast<std::size_t>(heard.runs.front().at - begin);
        const float* reference = whole.samples.data() + skipped * GetParam().channels;
        double error = 0, energy = 0;
        for (std::size_t i = 0; i < heard.samples.size(); ++i) {
            error += std::pow(heard.samples[i] - reference[i], 2);
            energy += std::pow(reference[i], 2);
        }
        EXPECT_LE(error, GetParam().exactSeek ? 0 : energy / 100);
    }
    source.seek(std::chrono::hours(1));
    EXPECT_EQ(hear(source).blocks, 0U);
    source.seek({});
    EXPECT_TRUE(hear(source).samples == whole.samples);
}

std::vector<FileCase> usualFiles() {
    return {
        {"AacMp4", ".mp4", pictures() + noise() + kAac + "-c:v mpeg4 "},
        {"OpusMkv", ".mkv", pictures() + noise() + "-c:v ffv1 -c:a libopus ", 48000, 48, 336, false},
        {"AacTs", ".ts", pictures() + noise(44100) + kAac + "-c:v mpeg2video ", 44100, 1},
        {"Mp3WithGap", ".mp3", noise(44100) + "-c:a libmp3lame ", 44100},
        {"PcmLater", ".mov", pictures() + kLater + noise(44100) + "-c:v mpeg4 -c:a pcm_s16le ", 44100, 0,
         22050},
    };
}

std::vector<FileCase> furtherFiles() {
    return {
        {"PcmMov", ".mov", pictures() + noise() + "-c:v mjpeg -c:a pcm_s16le "},
        {"Pcm24Mkv", ".mkv", pictures() + noise(44100) + "-c:v ffv1 -c:a pcm_s24le ", 44100, 45},
        {"Pcm32Avi", ".avi", pictures() + noise() + "-c:v mpeg4 -c:a pcm_s32le "},
        {"FloatNut", ".nut", pictures() + noise(96000) + "-c:v ffv1 -c:a pcm_f32le ", 96000},
        {"VorbisWebm", ".webm", pictures() + noise() + "-c:v libvpx -c:a libvorbis ", 48000, 48, 144},
        {"FlacMkv", ".mkv", pictures() + noise(44100) + "-c:v ffv1 -c:a flac ", 44100, 45},
        {"Mp3Mkv", ".mkv", pictures() + noise(44100) + "-c:v ffv1 -c:a libmp3lame ", 44100, 45},
        {"Ac3Ts", ".ts", pictures() + noise() + "-c:v mpeg2video -c:a ac3 ", 48000, 0, 0, false},
        {"Mp3Avi", ".avi", pictures() + noise() + "-c:v mpeg4 -c:a libmp3lame "},
        {"AacFlv", ".flv", pictures() + noise(44100) + kAac + "-c:v flv1 ", 44100, 45},
        {"AacFragmented", ".mp4", pictures() + noise() + kAac + "-c:v mpeg4 -movflags frag_keyframe "},
        {"Flac", ".flac", noise() + "-c:a flac "},
        {"Wav8", ".wav", noise(8000) + "-c:a pcm_u8 -ac 1 ", 8000, 0, 0, true, 1},
        // In milliseconds, less the priming, which ffmpeg does not leave out then.
        {"AacLater", ".mp4", pictures() + kLater + noise() + kAac + "-c:v mpeg4 ", 48000, 0, 22944},
        {"PicturesLater", ".mov", pictures(kLater) + noise() + "-map 1 -map 0 -c:v mjpeg -c:a pcm_s16le "},
    };
}

std::string nameOf(const ::testing::TestParamInfo<FileCase>& test) {
    return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Usual, FileSounds, ::testing::ValuesIn(usualFiles()), nameOf);
INSTANTIATE_TEST_SUITE_P(Thorough, FileSounds, ::testing::ValuesIn(furtherFiles()), nameOf);

class FileSoundTest : public FfmpegTest {
  protected:
    static void replace(const std::string& path, std::streamoff at, const std::string& bytes) {
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(at).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    static std::string bytesOf(const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static Error errorOf(const std::string& path, std::uint32_t track = 1, const std::string& format = {}) {
        try {
            openFileSound(path, format, {.track = track});
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "opened";
        return {ErrorKind::Internal, ""};
    }
    /// Whether some note holds the text.
    static bool says(const SoundSource& source, const std::string& text) {
        const auto notes = source.notes();
        return std::ranges::any_of(notes, [&](const auto& note) { return note.find(text) != note.npos; });
    }
    /// What the channel holds, from one position on.
    static std::vector<float> channelOf(const Heard& heard, std::size_t channel, std::size_t channels) {
        std::vector<float> samples;
        samples.reserve(heard.samples.size() / channels);
        for (std::size_t i = channel; i < heard.samples.size(); i += channels) {
            samples.push_back(heard.samples[i]);
        }
        return samples;
    }
};

TEST_F(FileSoundTest, WithoutSoundThereIsNoSource) {
    ffmpeg(pictures() + "-c:v ffv1 " + file("silent.mkv"));
    EXPECT_EQ(soundOf(file("silent.mkv")), nullptr);
    EXPECT_EQ(soundOf(file("silent.mkv"), 7), nullptr);
}

TEST_F(FileSoundTest, RefusesWhatItCannotOpen) {
    EXPECT_EQ(errorOf(file("missing.mp4")).kind(), ErrorKind::Input);
    ffmpeg(noise() + file("sound.wav"));
    EXPECT_EQ(errorOf(file("sound.wav"), 1, "vaw").kind(), ErrorKind::Usage);
    const Error error = errorOf(file("sound.wav"), 2);
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_EQ(error.what(), "--audio-track 2: " + file("sound.wav") + " holds 1 sound track");
}

TEST_F(FileSoundTest, BlocksAreAsLongAsAsked) {
    ffmpeg(noise(44100) + "-c:a pcm_s16le " + file("sound.wav"));
    for (const auto& [milliseconds, samples] : {std::pair{1, 44}, {5, 220}, {10, 441}, {40, 441}, {0, 1}}) {
        const auto source = openFileSound(file("sound.wav"), "",
                                          {.track = 1, .block = std::chrono::milliseconds(milliseconds)});
        EXPECT_EQ(source->format().maxSamples, samples);
        const Heard heard = hear(*source, samples * 100);
        EXPECT_EQ(heard.blocks, 100U);
    }
}

TEST_F(FileSoundTest, TracksAreChosenOrSideBySide) {
    const std::string path = file("clip.mkv");
    ffmpeg(pictures() + noise() + noise(44100) + "-map 0 -map 1 -map 2 -c:v ffv1 -c:a flac -ac:a:1 1 " +
           path);
    EXPECT_EQ(errorOf(path, 3).what(), "--audio-track 3: " + path + " holds 2 sound tracks");
    const auto second = soundOf(path, 2);
    EXPECT_EQ(describe(second->format()), "44.1 kHz, 1 channel (mono)");
    EXPECT_EQ(second->describe(), "sound of " + path + " (flac)");
    EXPECT_TRUE(hear(*second).samples == ffmpegSamples("-i " + path + " -map 0:a:1"));

    const auto all = soundOf(path, 0);
    EXPECT_EQ(describe(all->format()), "48 kHz, 3 channels");
    EXPECT_EQ(all->describe(), "sound of " + path + " (flac, 2 tracks)");
    EXPECT_EQ(all->notes(), std::vector{"sound track 2 of " + path + " is resampled from 44.1 to 48 kHz"});
    const Heard heard = hear(*all);
    ASSERT_EQ(heard.runs.size(), 1U);
    EXPECT_EQ(heard.runs.front(), (HeardRun{.at = 0, .samples = 96000}));
    const Heard stereo = hear(*soundOf(path, 1));
    for (const std::size_t channel : {0U, 1U}) {
        EXPECT_TRUE(channelOf(heard, channel, 3) == channelOf(stereo, channel, 2));
    }
    EXPECT_TRUE(channelOf(heard, 2, 3) == ffmpegSamples("-i " + path + " -map 0:a:1 -ar 48000"));

    all->seek(std::chrono::milliseconds(1500));
    const Heard later = hear(*all);
    ASSERT_EQ(later.runs.size(), 1U);
    EXPECT_EQ(later.runs.front().at, 72000);
    EXPECT_NEAR(static_cast<double>(later.runs.front().samples), 24000, 1);  // resampled from there
    for (const std::size_t channel : {0U, 1U}) {
        const auto part = channelOf(later, channel, 3), full = channelOf(stereo, channel, 2);
        EXPECT_TRUE(std::equal(full.begin() + 72000, full.end(), part.begin()));
    }
}

// Also where one of them begins so late that nobody waits for it.
TEST_F(FileSoundTest, TracksAreSilentWhereTheyHoldNothing) {
    const std::string path = file("clip.mov");
    for (const int seconds : {1, 8}) {
        SCOPED_TRACE(seconds);
        ffmpeg(noise(8000, ":d=10") + "-itsoffset " + std::to_string(seconds) + " " + noise(8000, ":d=1") +
               "-map 0 -map 1 -c:a pcm_s16le " + path);
        const Heard heard = hear(*soundOf(path, 0));
        EXPECT_EQ(heard.runs, (std::vector{HeardRun{.at = 0, .samples = 80000}}));
        EXPECT_TRUE(channelOf(heard, 0, 4) == channelOf(hear(*soundOf(path, 1)), 0, 2));
        const auto second = channelOf(hear(*soundOf(path, 2)), 0, 2);
        std::vector<float> expected(static_cast<std::size_t>(seconds) * 8000);
        expected.insert(expected.end(), second.begin(), second.end());
        expected.resize(80000);
        EXPECT_TRUE(channelOf(heard, 2, 4) == expected);
    }
}

// -ss with -c copy keeps what is before in the file, and an edit list says so.
TEST_F(FileSoundTest, FollowsEditLists) {
    for (const std::string codec : {"pcm_s16le", "aac -aac_pns 0"}) {
        SCOPED_TRACE(codec);
        ffmpeg(pictures() + noise() + "-c:v mpeg4 -g 5 -c:a " + codec + " " + file("whole.mov"));
        ffmpeg("-ss 0.333 -i " + file("whole.mov") + " -c copy " + file("cut.mov"));
        const std::string cut = "-i " + file("cut.mov") + " -map 0:a:0";
        const auto source = soundOf(file("cut.mov"));
        const Heard heard = hear(*source);
        EXPECT_TRUE(heard.samples == ffmpegSamples(cut));
        EXPECT_EQ(heard.runs, ffmpegRuns(cut, 2));
    }
}

TEST_F(FileSoundTest, RatesAndChannelsThatCannotBeSent) {
    ffmpeg(noise(384000, ":d=0.1") + "-c:a pcm_s16le " + file("fast.wav"));
    const auto fast = soundOf(file("fast.wav"));
    EXPECT_EQ(fast->format().rate, 192000U);
    EXPECT_TRUE(says(*fast, "is resampled from 384 to 192 kHz"));
    EXPECT_EQ(hear(*fast).runs, (std::vector{HeardRun{.at = 0, .samples = 19200}}));
    ffmpeg(noise(4000) + "-c:a pcm_s16le " + file("slow.wav"));
    EXPECT_EQ(hear(*soundOf(file("slow.wav"))).runs, (std::vector{HeardRun{.at = 0, .samples = 16000}}));
    replace(file("slow.wav"), 24, {"\1\0\0\0", 4});
    EXPECT_EQ(errorOf(file("slow.wav")).what(),
              "the sound of " + file("slow.wav") + " has 1 Hz: 1000 to 3072000 expected");

    std::ofstream(file("raw"), std::ios::binary) << std::string(40 * 2 * 480, '\0');
    ffmpeg("-f s16le -ar 48000 -ac 40 -i " + file("raw") + " -f lavfi -i anullsrc=r=48000:cl=5.1:d=0.1 " +
           "-map 0 -map 1 -map 0 -c:a pcm_s16le " + file("many.mov"));
    EXPECT_EQ(soundOf(file("many.mov"))->format().channels, 40);
    EXPECT_EQ(describe(soundOf(file("many.mov"), 2)->format()), "48 kHz, 6 channels (5.1)");
    const Error error = errorOf(file("many.mov"), 0);
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_NE(std::string(error.what()).find("86 channels: 1 to 64 expected"), std::string::npos);
    EXPECT_NE(error.remedy().find("--audio-track N"), std::string::npos);
}

TEST_F(FileSoundTest, SilencesWhatIsNoNumber) {
    const std::string path = file("sound.wav");
    ffmpeg(noise() + "-c:a pcm_f32le " + path);
    const auto before = hear(*soundOf(path)).samples;
    const float wrong[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
    replace(path, static_cast<std::streamoff>(bytesOf(path).size()) - 8000,
            {reinterpret_cast<const char*>(wrong), sizeof wrong});
    const auto source = soundOf(path);
    const auto after = hear(*source).samples;
    ASSERT_EQ(after.size(), before.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_TRUE(after[i] == before[i] || after[i] == 0);
        different += after[i] != before[i] ? 1 : 0;
    }
    EXPECT_EQ(different, 2U);
    EXPECT_EQ(source->notes(),
              std::vector{"the sound of " + path + " holds samples that are no numbers, and are silenced"});
}

TEST_F(FileSoundTest, WhatIsDamagedIsMissing) {
    const std::string path = file("clip.mkv");
    ffmpeg(pictures() + noise() + "-c:v mpeg4 -c:a flac " + path);
    const Heard whole = hear(*soundOf(path));
    const std::string bytes = bytesOf(path);
    replace(path, static_cast<std::streamoff>(bytes.size() / 2), std::string(9000, '\x55'));
    const auto source = soundOf(path);
    const Heard heard = hear(*source);
    ASSERT_GT(heard.runs.size(), 1U);
    EXPECT_LT(heard.samples.size(), whole.samples.size());
    EXPECT_EQ(heard.runs.back().at + heard.runs.back().samples, 96000);
    const auto end = static_cast<std::ptrdiff_t>(heard.runs.back().samples) * 2;
    EXPECT_TRUE(std::equal(heard.samples.end() - end, heard.samples.end(), whole.samples.end() - end));
    EXPECT_TRUE(says(*source, "are damaged, and are left out"));
}

TEST_F(FileSoundTest, FollowsStampsThatJumpByADay) {
    ffmpeg(noise() + "-c:a pcm_s16le " + file("sound.nut"));
    ffmpeg("-i " + file("sound.nut") + " -c copy -bsf:a setts=ts=TS+86400*48000*gt(N\\,20) " +
           file("jump.nut"));
    const auto source = soundOf(file("jump.nut"));
    const Heard heard = hear(*source);
    EXPECT_TRUE(heard.samples == ffmpegSamples("-i " + file("sound.nut") + " -map 0:a:0"));
    ASSERT_EQ(heard.runs.size(), 2U);
    EXPECT_EQ(heard.runs[1].at - heard.runs[0].samples, std::int64_t{86400} * 48000);
}

// One recording after another, as in broadcasts: the clock goes back, and the rate and channels change.
TEST_F(FileSoundTest, FollowsAChangeOfRateAndAClockThatGoesBack) {
    ffmpeg(pictures() + noise() + "-c:v mpeg2video -c:a aac " + file("a.ts"));
    ffmpeg(pictures() + noise(44100) + "-c:v mpeg2video -c:a aac -ac 1 " + file("b.ts"));
    std::ofstream(file("both.ts"), std::ios::binary) << bytesOf(file("a.ts")) << bytesOf(file("b.ts"));
    const auto source = soundOf(file("both.ts"));
    const Heard heard = hear(*source);
    EXPECT_EQ(describe(source->format()), "48 kHz, 2 channels (stereo)");
    EXPECT_TRUE(says(*source, "changes to 44.1 kHz, 1 channel: it is converted to 48 kHz, 2 channels"));
    ASSERT_EQ(heard.runs.size(), 2U);
    EXPECT_LT(heard.runs[1].at, heard.runs[0].samples);
    EXPECT_NEAR(static_cast<double>(heard.runs[0].samples), 96000, 3000);
    EXPECT_NEAR(static_cast<double>(heard.runs[1].samples), 96000, 3000);
    const auto all = soundOf(file("both.ts"), 0);
    EXPECT_EQ(hear(*all).runs, heard.runs);
}

TEST_F(FileSoundTest, IsReadAgainWhateverBecomesOfTheFilesName) {
    for (const std::string name : {"sound.nut", "sound.ts"}) {
        SCOPED_TRACE(name);
        ffmpeg(noise() + "-c:a " + (name == "sound.ts" ? "mp2 " : "pcm_s16le ") + file(name));
        ffmpeg(noise(8000) + "-c:a pcm_s16le " + file("other.wav"));
        const auto source = soundOf(file(name));
        const Heard whole = hear(*source);
        std::filesystem::remove(file(name));
        source->seek({});
        EXPECT_TRUE(hear(*source).samples == whole.samples);
        std::filesystem::rename(file("other.wav"), file(name));
        source->seek({});
        EXPECT_TRUE(hear(*source).samples == whole.samples);
    }
}

TEST_F(FileSoundTest, PassesOverTracksOfAFileThatWasWrittenAnew) {
    ffmpeg(noise(8000) + "-c:a pcm_s16le " + file("one.nut"));
    ffmpeg(noise(8000) + noise(8000) + "-map 0 -map 1 -c:a pcm_s16le " + file("two.nut"));
    const auto source = soundOf(file("one.nut"), 0);
    const Heard whole = hear(*source);
    std::ofstream(file("one.nut"), std::ios::binary) << bytesOf(file("two.nut"));
    source->seek({});
    EXPECT_TRUE(hear(*source).samples == whole.samples);
}

}  // namespace
}  // namespace verbcast::testing

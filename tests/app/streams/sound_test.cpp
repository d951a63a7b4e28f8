// Sound from sources to files, beside its pictures; ffmpeg says what is in both.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

/// "pcm of the first sound track" as ffmpeg decodes it; `cut`: a filter before that.
std::string soundSum(const std::string& path, const std::string& cut = "anull") {
    return ffmpeg(
        {"-v", "error", "-i", path, "-map", "0:a:0", "-af", cut, "-c:a", "pcm_f32le", "-f", "md5", "-"});
}

class SoundProgram : public ProgramAndFfmpegTest {
  protected:
    /// Moving pictures of `seconds`, and sound of `heard` that begins `later`.
    std::string clip(double seconds, double heard, double later = 0,
                     const Arguments& codec = {"-c:a", "aac"}) {
        ffmpeg(Arguments{"-f", "lavfi", "-i", fmt::format("testsrc2=size=96x64:rate=25:duration={}", seconds),
                         "-itsoffset", std::to_string(later), "-f", "lavfi", "-i",
                         fmt::format("aevalsrc=exprs='0.3*sin(440*t*2*PI)|0.2*random(0)':sample_rate=48000:"
                                     "duration={}",
                                     heard),
                         "-c:v", "mpeg4", "-q:v", "2"} +
               codec + Arguments{file("clip.mkv")});
        return file("clip.mkv");
    }
    Arguments sending(const std::string& source, const std::string& scheme,
                      const Arguments& more = {}) const {
        return Arguments{"send", source, "--once", "--listen", listenAddressFor(scheme)} + more;
    }
    /// Sends and records; returns the file.
    std::string recorded(const Arguments& sender, const Arguments& viewer = {},
                         const std::string& take = "got.nut", int input = -1) {
        Verbcast sends(sender, home_, input);
        Verbcast views(Arguments{"view", "--headless", sends.listenAddress(), "--once", "--force", "--output",
                                 file(take)} +
                           viewer,
                       home_);
        EXPECT_TRUE(endsWith(views, 0));
        EXPECT_TRUE(endsWith(sends, 0));
        said_ = sends.errors() + views.errors();
        return file(take);
    }
    /// Sound without pictures.
    std::string song(const std::string& name, double seconds) {
        ffmpeg(
            {"-f", "lavfi", "-i",
             fmt::format("aevalsrc=exprs='0.3*sin(440*t*2*PI)|0.2*random(0)':sample_rate=44100:duration={}",
                         seconds),
             file(name)});
        return file(name);
    }
    /// `cat PATH | verbcast send -`, recorded.
    std::string piped(const std::string& path, const std::string& scheme) {
        KernelPipe pipe;
        ChildProcess writer({"cat", path}, {.folder = home_.path(), .output = pipe.writing.get()});
        pipe.writing.reset();
        return recorded(sending("-", scheme, {"--fps", "max"}), {}, "got.nut", pipe.reading.get());
    }
    static std::string streamsOf(const std::string& path) {
        ChildProcess probe({"ffprobe", "-v", "error", "-show_entries", "stream=codec_type,start_time", "-of",
                            "csv=p=0", path},
                           {});
        EXPECT_EQ(probe.waitForEnd(), 0);
        return probe.output();
    }

    std::string said_;
};

TEST_F(SoundProgram, ArrivesBitByBit) {
    const std::string source = clip(1.2, 1.2);
    const std::string sum = soundSum(source);
    for (const char* scheme : {"shm", "tcp"}) {
        // At once: what is played is a matter of the window.
        EXPECT_EQ(soundSum(recorded(sending(source, scheme, {"--fps", "max"}))), sum) << scheme << said_;
        EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut"), "-map", "0:v"}).size(), 30U);
    }
}

TEST_F(SoundProgram, KeepsItsPlaceBesideThePictures) {
    const std::string source = clip(1, 0.7, 0.52, {"-c:a", "pcm_f32le"});
    recorded(sending(source, "tcp", {"--fps", "max"}));
    EXPECT_EQ(soundSum(file("got.nut")), soundSum(source));
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\naudio,0.520000\n") << said_;
}

TEST_F(SoundProgram, LastsLongerThanThePictures) {
    const std::string source = clip(0.4, 1.1, 0, {"-c:a", "flac"});
    EXPECT_EQ(soundSum(recorded(sending(source, "shm"))), soundSum(source)) << said_;
}

TEST_F(SoundProgram, GoesWithThePartOfAFile) {
    const std::string source = clip(2, 2, 0, {"-c:a", "pcm_f32le"});
    recorded(sending(source, "tcp", {"--fps", "max", "-ss", "0.8", "-t", "0.6"}));
    // From the first picture on; the file's first block may begin before it.
    EXPECT_EQ(soundSum(file("got.nut"), "atrim=end_sample=24000"),
              soundSum(source, "atrim=start_sample=38400:end_sample=62400,asetpts=PTS-STARTPTS"))
        << streamsOf(file("got.nut")) << said_;
}

TEST_F(SoundProgram, IsLeftOutWhereNobodyWantsIt) {
    const std::string source = clip(0.4, 0.4);
    recorded(sending(source, "shm", {"--audio", "none"}));
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\n");
    recorded(sending(source, "shm"), {"--audio", "none"});
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\n");
    recorded(sending(source, "shm", {"--fps", "100"}));
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\n");
    EXPECT_TRUE(holds(said_, "no sound: --fps sends the pictures at another speed"));
}

TEST_F(SoundProgram, OfAPipeArrivesBitByBit) {
    const std::string source = clip(1.2, 1.2);
    ffmpeg({"-i", source, "-c:v", "rawvideo", "-c:a", "pcm_s24le", file("raw.nut")});
    ffmpeg({"-i", source, "-c:v", "mpeg2video", "-c:a", "mp2", file("coded.ts")});
    for (const auto& [name, scheme] : {std::pair{"raw.nut", "shm"}, {"coded.ts", "tcp"}}) {
        EXPECT_EQ(soundSum(piped(file(name), scheme)), soundSum(file(name))) << name << said_;
        EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut"), "-map", "0:v"}).size(), 30U);
        EXPECT_FALSE(holds(said_, "note: ")) << said_;
    }
}

TEST_F(SoundProgram, OfAPipeKeepsItsPlaceAndEndsEarly) {
    const std::string source = clip(1.2, 0.5, 0.2, {"-c:a", "pcm_f32le"});
    EXPECT_EQ(soundSum(piped(source, "tcp")), soundSum(source));
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\naudio,0.200000\n") << said_;
}

TEST_F(SoundProgram, OfAPipeLastsLongerThanThePictures) {
    const std::string source = clip(0.4, 1.1, 0, {"-c:a", "flac"});
    EXPECT_EQ(soundSum(piped(source, "shm")), soundSum(source)) << said_;
}

TEST_F(SoundProgram, OfAFileOnStandardInputIsReadBesideThePictures) {
    const std::string source = clip(0.6, 0.6);
    const UniqueFd input = opened("clip.mkv");
    recorded(sending("-", "shm", {"--fps", "max"}), {}, "got.nut", input.get());
    EXPECT_EQ(soundSum(file("got.nut")), soundSum(source)) << said_;
}

TEST_F(SoundProgram, OfAPipeMayBeUndecodable) {
    const std::string source = clip(0.4, 0.4, 0, {"-c:a", "flac"});
    std::fstream bytes(source, std::ios::in | std::ios::out | std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(bytes), {}};
    bytes.clear();
    bytes.seekp(static_cast<std::streamoff>(all.find("A_FLAC"))) << "A_FLOP";
    bytes.close();
    piped(source, "shm");
    EXPECT_EQ(streamsOf(file("got.nut")), "video,0.000000\n");
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut")}).size(), 10U);
    EXPECT_TRUE(holds(said_, "note: no sound: this FFmpeg has no decoder for the sound of stdin"));
}

TEST_F(SoundProgram, IsChosenAmongTheTracksOfAFile) {
    ffmpeg({"-f",   "lavfi",     "-i",           "testsrc2=size=96x64:rate=25:duration=0.4",
            "-f",   "lavfi",     "-i",           "sine=300:duration=0.4",
            "-f",   "lavfi",     "-i",           "sine=700:duration=0.4",
            "-map", "0",         "-map",         "1",
            "-map", "2",         "-c:v",         "mpeg4",
            "-c:a", "pcm_s16le", file("two.mkv")});
    recorded(sending(file("two.mkv"), "shm", {"--audio-track", "2", "--fps", "max"}));
    EXPECT_EQ(soundSum(file("got.nut")), ffmpeg({"-v", "error", "-i", file("two.mkv"), "-map", "0:a:1",
                                                 "-c:a", "pcm_f32le", "-f", "md5", "-"}));
    recorded(sending(file("two.mkv"), "shm", {"--audio-track", "all", "--fps", "max"}));
    EXPECT_EQ(soundSum(file("got.nut"), "pan=mono|c0=c1"),
              ffmpeg({"-v", "error", "-i", file("two.mkv"), "-map", "0:a:1", "-c:a", "pcm_f32le", "-f", "md5",
                      "-"}));
    Verbcast none({"send", file("two.mkv"), "--audio-track", "3"}, home_);
    EXPECT_TRUE(endsWith(none, 2));
    EXPECT_TRUE(holds(none.errors(), "2"));
}

TEST_F(SoundProgram, OfAPatternFlashesWithIt) {
    // The pip of a second begins with the picture that is white.
    recorded({"send", "pattern:flash", "--size", "96x64", "--fps", "25", "--frames", "40", "--once",
              "--listen", listenAddressFor("tcp")});
    const std::string white =
        ffmpeg({"-v", "error", "-i", file("got.nut"), "-vf",
                "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-", "-an", "-f", "null", "-"});
    const std::string loud =
        ffmpeg({"-v", "error", "-i", file("got.nut"), "-af",
                "silencedetect=n=-30dB:d=0.1,ametadata=print:key=lavfi.silence_start:file=-", "-vn", "-f",
                "null", "-"});
    EXPECT_TRUE(holds(white, "pts_time:1\n")) << white;
    EXPECT_TRUE(holds(loud, "lavfi.silence_start=0.00")) << loud;
    EXPECT_TRUE(holds(loud, "lavfi.silence_start=1.00")) << loud;
}

TEST_F(SoundProgram, NeedsNoPictures) {
    // Longer than a file waits for pictures.
    for (const auto& [name, take] : {std::pair("song.flac", "got.nut"), std::pair("song.flac", "got.mkv"),
                                     std::pair("song.wav", "got.wav")}) {
        const std::string source = song(name, 2.6);
        const std::string got = recorded(sending(source, "shm", {"--fps", "max"}), {}, take);
        EXPECT_EQ(soundSum(got), soundSum(source)) << take << said_;
        EXPECT_EQ(streamsOf(got).substr(0, 5), "audio") << take;
        EXPECT_TRUE(holds(said_, "sending sound of " + source)) << said_;
        EXPECT_TRUE(holds(said_, "receiving sound of 44.1 kHz, 2 channels")) << said_;
        EXPECT_TRUE(holds(said_, "received 2.6 s of sound")) << said_;
    }
}

TEST_F(SoundProgram, OfAPipeNeedsNoPictures) {
    for (const char* name : {"song.nut", "song.flac"}) {
        const std::string source = song(name, 0.7);
        EXPECT_EQ(soundSum(piped(source, "shm")), soundSum(source)) << name << said_;
        EXPECT_EQ(streamsOf(file("got.nut")).substr(0, 5), "audio") << name;
        EXPECT_TRUE(holds(said_, "sending sound of stdin")) << said_;
    }
    for (const auto& [more, says] : {std::pair<Arguments, const char*>{{"--loop"}, "cannot be rewound"},
                                     {{"--audio", "none"}, "holds no video"},
                                     {{"--audio-track", "2"}, "2"}}) {
        const UniqueFd input = opened("song.flac");
        Verbcast refused(Arguments{"send", "-"} + more, home_, input.get());
        EXPECT_TRUE(refused.waitForEnd() != 0);
        EXPECT_TRUE(holds(refused.errors(), says));
    }
}

TEST_F(SoundProgram, BesideACoverIsAlone) {
    ffmpeg({"-f", "lavfi", "-i", "testsrc2=size=96x64:duration=0.04", "-i", song("song.wav", 0.3), "-map",
            "1", "-map", "0", "-c:v", "png", "-disposition:v", "attached_pic", "-c:a", "flac",
            file("album.flac")});
    EXPECT_EQ(soundSum(recorded(sending(file("album.flac"), "tcp"))), soundSum(file("song.wav"))) << said_;
    EXPECT_EQ(streamsOf(file("got.nut")), "audio,0.000000\n");
}

TEST_F(SoundProgram, AloneIsCutToTheSampleAndGoesRound) {
    const std::string source = song("song.wav", 0.4);
    recorded(sending(source, "shm", {"--fps", "max", "-ss", "0.1", "-t", "0.05"}));
    EXPECT_EQ(soundSum(file("got.nut")), soundSum(source, "atrim=start_sample=4410:end_sample=6615"));
    // More than three times as long is sent at once.
    recorded(sending(source, "shm", {"--loop", "-t", "0.05", "--seconds", "0.1"}));
    EXPECT_EQ(soundSum(file("got.nut"), "atrim=end_sample=6615"),
              soundSum(source, "atrim=end_sample=2205,aloop=loop=2:size=2205"));
}

TEST_F(SoundProgram, AloneIsChosenByName) {
    recorded({"send", "sound", "--audio", "tone", "--seconds", "0.1", "--once", "--listen",
              listenAddressFor("tcp")});
    EXPECT_EQ(streamsOf(file("got.nut")), "audio,0.000000\n") << said_;
    Verbcast unnamed({"send", "sound"}, home_);
    EXPECT_TRUE(endsWith(unnamed, 2));
    EXPECT_TRUE(holds(unnamed.errors(), "which sound is not said"));
    Verbcast counted({"send", song("song.wav", 0.1), "--frames", "3"}, home_);
    EXPECT_TRUE(endsWith(counted, 2));
    EXPECT_TRUE(holds(counted.errors(), "--frames is about pictures"));
}

}  // namespace
}  // namespace verbcast::testing

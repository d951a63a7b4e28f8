// Video through pipes: self-describing formats need no options, on input and on output.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "core/video/pixel_format.h"
#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

constexpr int kPictures = 9;

Arguments picture(const std::string& pixelFormat, int width = 320, int height = 180, int frames = kPictures) {
    return {
        "-f", "lavfi", "-i", movingPicture(width, height, pixelFormat), "-frames:v", std::to_string(frames)};
}

class VideoPipe : public ProgramAndFfmpegTest {
  protected:
    Arguments sendArguments(const Arguments& source) const {
        return Arguments{"send",     "--fps",       "max",        "--once",   "--policy",
                         "lossless", "--frame-md5", file("sent"), "--listen", listenAddressFor("shm")} +
               source;
    }

    /// `ffmpeg PICTURE OUTPUT - | verbcast send -`, as the viewer receives it.
    std::vector<FrameSum> throughStdin(const Arguments& made, const Arguments& output,
                                       const Arguments& options = {}) {
        KernelPipe pipe;
        ChildProcess maker(Arguments{"ffmpeg", "-nostdin", "-v", "error"} + made + output,
                           {.folder = home_.path(), .output = pipe.writing.get()});
        pipe.writing.reset();
        Verbcast sender(sendArguments(Arguments{"-"} + options), home_, pipe.reading.get());
        pipe.reading.reset();
        Verbcast viewer({"view", "--headless", sender.listenAddress(), "--once", "--frame-md5", file("got")},
                        home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_TRUE(endsWith(maker, 0));
        EXPECT_EQ(frameSums(file("got")), frameSums(file("sent")));
        return frameSums(file("got"));
    }

    /// Records a source with `verbcast view --output FILE`; returns the viewer's errors.
    std::string record(const Arguments& source, const Arguments& output) {
        Verbcast sender(sendArguments(source), home_);
        Verbcast viewer(Arguments{"view", "--headless", sender.listenAddress(), "--once"} + output, home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_EQ(viewer.output(), "");
        return viewer.errors();
    }

    std::string clip(const std::string& pixelFormat, int width = 320, int height = 180) const {
        ffmpeg(picture(pixelFormat, width, height) + Arguments{"-c:v", "rawvideo", file("clip.nut")});
        return file("clip.nut");
    }
};

TEST_F(VideoPipe, NutOnStdinSaysWhatItHolds) {
    for (const char* format : {"yuv420p", "yuv422p10le", "nv12", "rgb24", "bgra", "uyvy422", "gray"}) {
        SCOPED_TRACE(format);
        EXPECT_EQ(throughStdin(picture(format), {"-c:v", "rawvideo", "-f", "nut", "-"}),
                  ffmpegFrameSums(picture(format)));
    }
}

TEST_F(VideoPipe, Y4mOnStdinSaysWhatItHolds) {
    // FFmpeg's own y4m is broken for odd widths and ten bits.
    for (const auto& [format, width] : {std::pair{"yuv420p", 127}, std::pair{"yuv444p", 127},
                                        std::pair{"yuv420p10le", 126}, std::pair{"gray", 127}}) {
        SCOPED_TRACE(format);
        EXPECT_EQ(throughStdin(picture(format, width, 95), {"-strict", "-1", "-f", "yuv4mpegpipe", "-"}),
                  ffmpegFrameSums(picture(format, width, 95)));
    }
}

TEST_F(VideoPipe, CompressedVideoOnStdinIsDecoded) {
    ffmpeg(picture("yuv420p") + Arguments{"-c:v", "libx264", "-preset", "veryfast", file("clip.mkv")});
    EXPECT_EQ(throughStdin({"-i", file("clip.mkv")}, {"-c", "copy", "-f", "matroska", "-"}),
              ffmpegFrameSums({"-i", file("clip.mkv")}));
}

TEST_F(VideoPipe, OptionsConvertWhatSaysItself) {
    const auto sums = throughStdin(picture("yuv420p"), {"-c:v", "rawvideo", "-f", "nut", "-"},
                                   {"--size", "160x90", "--format", "rgba"});
    ASSERT_EQ(sums.size(), kPictures);
    EXPECT_EQ(sums.front().bytes, 160U * 90 * 4);
}

TEST_F(VideoPipe, FilesMayStandOnStdin) {
    // The index is at the end of the file, so the file is read from several places.
    ffmpeg(picture("yuv420p") + Arguments{"-c:v", "libx264", "-preset", "veryfast", file("clip.mp4")});
    const UniqueFd input(::open(file("clip.mp4").c_str(), O_RDONLY | O_CLOEXEC));
    Verbcast sender(sendArguments({"-"}), home_, input.get());
    Verbcast viewer({"view", "--headless", sender.listenAddress(), "--once", "--frame-md5", file("got")},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(frameSums(file("got")), ffmpegFrameSums({"-i", file("clip.mp4")}));
}

TEST_F(VideoPipe, FramesWithoutAHeadNeedSizeAndFormat) {
    ffmpeg(picture("yuv420p", 640, 360) + Arguments{"-f", "rawvideo", file("clip.raw")});
    const UniqueFd input(::open(file("clip.raw").c_str(), O_RDONLY | O_CLOEXEC));
    Verbcast sender(sendArguments({"-"}), home_, input.get());
    EXPECT_TRUE(endsWith(sender, kUsage));
    EXPECT_TRUE(
        holds(sender.errors(), "stdin does not say what it holds: raw frames need --size and --format"));
}

TEST_F(VideoPipe, InterruptEndsTheWaitForAHead) {
    KernelPipe pipe;
    Verbcast sender({"send", "-", "-v", "--listen", listenAddressFor("shm")}, home_, pipe.reading.get());
    // The first byte is read from the pipe; the program then waits for more.
    ASSERT_EQ(::write(pipe.writing.get(), "Y", 1), 1);
    const auto deadline = TestClock::now() + kPatience;
    int waiting = 1;
    while (waiting > 0 && TestClock::now() < deadline) {
        ASSERT_EQ(::ioctl(pipe.reading.get(), FIONREAD, &waiting), 0);
        ::usleep(2000);
    }
    ASSERT_EQ(waiting, 0);
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 130));
}

class EveryFormatWritten : public VideoPipe, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryFormatWritten, AsNutHoldsWhatWasSent) {
    const std::string format = GetParam();
    record({"pattern:zone", "--size", "192x95", "--format", format, "--frames", std::to_string(kPictures)},
           {"--output", file("got.nut")});
    const auto sent = frameSums(file("sent"));
    ASSERT_EQ(sent.size(), static_cast<std::size_t>(kPictures));
    // Sent again, it is restored, also where NUT stores another format with the same bits.
    Verbcast again(sendArguments({file("got.nut"), "--format", format}), home_);
    Verbcast viewer({"view", "--headless", again.listenAddress(), "--once"}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(again, 0));
    EXPECT_EQ(frameSums(file("sent")), sent);
    if (format != "v210" && format != "p010le" && format != "x2rgb10le") {
        EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut")}), sent);
    }
}

std::vector<std::string> writtenFormats() {
    std::vector<std::string> names;
    for (const PixelFormatInfo& info : allPixelFormats()) {
        names.emplace_back(info.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Of, EveryFormatWritten, ::testing::ValuesIn(writtenFormats()),
                         [](const auto& format) { return format.param; });

TEST_F(VideoPipe, WrittenFilesHoldWhatWasSent) {
    const auto expected = ffmpegFrameSums({"-i", clip("yuv422p10le", 126, 95)});
    record({file("clip.nut")}, {"--output", file("got.y4m")});
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.y4m")}), expected);
    record({file("clip.nut")}, {"--output", file("got.yuv")});
    EXPECT_EQ(
        ffmpegFrameSums({"-f", "rawvideo", "-s", "126x95", "-pix_fmt", "yuv422p10le", "-i", file("got.yuv")}),
        expected);
    record({file("clip.nut")}, {"--output", file("got.mp4"), "--output-format", "nut"});
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.mp4")}), expected);
}

TEST_F(VideoPipe, PaddedRowsAreWrittenWithoutTheirPadding) {
    // Decoded in place, so the slot has the decoder's strides.
    ffmpeg(picture("yuv420p", 130, 94) +
           Arguments{"-c:v", "libx264", "-preset", "veryfast", file("clip.mp4")});
    const auto expected = ffmpegFrameSums({"-i", file("clip.mp4")});
    record({file("clip.mp4")}, {"--output", file("got.nut")});
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.nut")}), expected);
    record({file("clip.mp4")}, {"--output", file("got.y4m")});
    EXPECT_EQ(ffmpegFrameSums({"-i", file("got.y4m")}), expected);
}

TEST_F(VideoPipe, FfmpegReadsTheOutputWithoutOptions) {
    for (const char* format : {"yuv420p", "rgba", "yuv444p10le"}) {
        SCOPED_TRACE(format);
        const auto expected = ffmpegFrameSums({"-i", clip(format)});
        Verbcast sender(sendArguments({file("clip.nut")}), home_);
        KernelPipe pipe;
        ChildProcess viewer(
            {verbcastPath(), "view", "--headless", sender.listenAddress(), "--once", "--output", "-"},
            {.folder = home_.path(), .output = pipe.writing.get()});
        pipe.writing.reset();
        ChildProcess reader({"ffmpeg", "-v", "error", "-i", "-", "-f", "framemd5", "-"},
                            {.folder = home_.path(), .input = pipe.reading.get()});
        pipe.reading.reset();
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(reader, 0));
        EXPECT_EQ(frameSumsIn(reader.output()), expected);
    }
}

TEST_F(VideoPipe, ReaderThatLeavesEndsTheViewerAsSigpipeDoes) {
    Verbcast sender({"send", "pattern", "--size", "320x180", "--listen", listenAddressFor("shm"), "--once"},
                    home_);
    KernelPipe pipe;
    ChildProcess viewer({verbcastPath(), "view", "--headless", sender.listenAddress(), "--output", "-",
                         "--stats-json", file("viewer")},
                        {.folder = home_.path(), .output = pipe.writing.get()});
    pipe.writing.reset();
    std::array<char, 4096> some;
    EXPECT_GT(::read(pipe.reading.get(), some.data(), some.size()), 0);
    pipe.reading.reset();
    EXPECT_TRUE(endsWith(viewer, 128 + SIGPIPE));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(readJson(file("viewer"))["exit_reason"], "output closed");
}

TEST_F(VideoPipe, InterruptEndsAViewerWhoseReaderSleeps) {
    Verbcast sender({"send", "pattern", "--size", "1280x720", "--listen", listenAddressFor("shm"), "--once"},
                    home_);
    KernelPipe pipe;
    ChildProcess viewer({verbcastPath(), "view", "--headless", sender.listenAddress(), "--output", "-"},
                        {.folder = home_.path(), .output = pipe.writing.get()});
    ASSERT_TRUE(viewer.waitForError("receiving 1280x720"));
    // The pipe holds less than a frame and is not being read.
    const auto deadline = TestClock::now() + kPatience;
    int waiting = 0;
    while (waiting < 65536 && TestClock::now() < deadline) {
        ASSERT_EQ(::ioctl(pipe.reading.get(), FIONREAD, &waiting), 0);
        ::usleep(2000);
    }
    viewer.signal(SIGINT);
    EXPECT_TRUE(endsWith(viewer, 130));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(::fcntl(pipe.writing.get(), F_GETFL) & O_NONBLOCK, 0);  // shared with us, and left as it was
}

TEST_F(VideoPipe, FullDiskSaysHowMuchWasWritten) {
    Verbcast sender({"send", "pattern", "--size", "320x180", "--listen", listenAddressFor("shm"), "--once"},
                    home_);
    Verbcast viewer({"view", "--headless", sender.listenAddress(), "--output", "/dev/full"}, home_);
    EXPECT_TRUE(endsWith(viewer, kResource));
    EXPECT_TRUE(holds(viewer.errors(), "writing /dev/full: No space left on device; 0 bytes were written"));
    EXPECT_TRUE(holds(viewer.errors(), "0 whole frames"));
    EXPECT_TRUE(holds(viewer.errors(), "free some space there"));
}

TEST_F(VideoPipe, ATakeIsKeptUnlessItIsToBeReplaced) {
    std::ofstream(file("take-2.nut")) << "precious";
    const std::string address = listenAddressFor("shm");
    for (const Arguments& arguments :
         {Arguments{"view", "--headless", "--output", file("take-2.nut"), address},
          Arguments{"view", "--headless", "--output", file("take-%n.nut"), address, address},
          Arguments{"view", "--headless", "--output", file("take-%n.nut"), "--listen", address, "--streams",
                    "2"}}) {
        Verbcast viewer(arguments, home_);
        EXPECT_TRUE(endsWith(viewer, kUsage));
        EXPECT_TRUE(holds(viewer.errors(), file("take-2.nut") + " exists"));
        EXPECT_TRUE(holds(viewer.errors(), "--force"));
    }
    EXPECT_EQ(std::filesystem::file_size(file("take-2.nut")), 8U);
    EXPECT_FALSE(std::filesystem::exists(file("take-1.nut")));
    record({"pattern", "--size", "64x64", "--frames", "2"}, {"--output", file("take-2.nut"), "--force"});
    EXPECT_EQ(ffmpegFrameSums({"-i", file("take-2.nut")}), frameSums(file("sent")));
}

TEST_F(VideoPipe, Y4mRefusesWhatItCannotHold) {
    for (const auto& [size, format, reason] :
         {std::array{"320x180", "rgba", "y4m holds planar YUV and gray, and the stream is rgba"},
          std::array{"127x95", "yuv420p10le", "odd widths with more than 8 bits"}}) {
        SCOPED_TRACE(format);
        Verbcast sender({"send", "pattern", "--size", size, "--format", format, "--listen",
                         listenAddressFor("shm"), "--once"},
                        home_);
        Verbcast viewer({"view", "--headless", sender.listenAddress(), "--output", file("got.y4m")}, home_);
        EXPECT_TRUE(endsWith(viewer, kUsage));
        EXPECT_TRUE(holds(viewer.errors(), reason));
        EXPECT_TRUE(holds(viewer.errors(), "NUT"));
    }
}

/// What ffprobe says of it, a line each.
std::string probed(const std::string& path) {
    ChildProcess ffprobe({"ffprobe", "-v", "error", "-show_entries",
                          "stream=codec_name,pix_fmt,color_range,color_space,color_transfer,color_primaries:"
                          "format=duration",
                          "-of", "default=noprint_wrappers=1", path});
    EXPECT_TRUE(endsWith(ffprobe, 0));
    return ffprobe.output();
}

constexpr const char* kHdr =
    "color_range=tv\ncolor_space=bt2020nc\ncolor_transfer=smpte2084\ncolor_primaries=bt2020\n";

class Recording : public VideoPipe {
  protected:
    /// BT.2020 and PQ, as `format`.
    std::string hdrClip(const std::string& format) {
        ffmpeg(picture(format) + Arguments{"-vf",
                                           "setparams=range=tv:colorspace=bt2020nc:color_trc=smpte2084:"
                                           "color_primaries=bt2020",
                                           "-c:v", "ffv1", file("hdr.mkv")});
        return file("hdr.mkv");
    }
};

TEST_F(Recording, MatroskaSaysTheColours) {
    for (const std::string format : {"yuv420p10le", "p010le", "v210"}) {
        SCOPED_TRACE(format);
        const std::string clip = hdrClip(format == "v210" ? "yuv422p10le" : "yuv420p10le");
        record({clip, "--format", format}, {"--output", file("got.mkv"), "--force"});
        EXPECT_TRUE(holds(probed(file("got.mkv")), kHdr));
        EXPECT_TRUE(holds(probed(file("got.mkv")), "duration=0.36"));
        EXPECT_EQ(ffmpegFrameSums({"-i", file("got.mkv")}), ffmpegFrameSums({"-i", clip}));
    }
    for (const std::string name : {"got.nut", "got.y4m"}) {
        EXPECT_TRUE(holds(record({hdrClip("yuv420p10le")}, {"--output", file(name)}),
                          "does not say that the colours are BT.2020"));
    }
}

/// What ffprobe says of its HDR, and which field is first, as JSON.
nlohmann::json probedHdr(const std::string& path) {
    ChildProcess ffprobe({"ffprobe", "-v", "error", "-read_intervals", "%+#1", "-show_entries",
                          "stream=field_order:stream_side_data:frame_side_data", "-of", "json", path});
    EXPECT_TRUE(endsWith(ffprobe, 0));
    const auto found = nlohmann::json::parse(ffprobe.output());
    nlohmann::json told;
    told["fields"] = found["streams"][0].value("field_order", "");
    for (const auto& part : {found["streams"], found.value("frames", nlohmann::json::array())}) {
        for (const auto& data : part[0].value("side_data_list", nlohmann::json::array())) {
            for (const auto& [name, value] : data.items()) {
                told[name] = value;
            }
        }
    }
    told.erase("side_data_type");
    return told;
}

TEST_F(Recording, MatroskaSaysWhatTheStreamSaysOfItsHdr) {
    ffmpeg(picture("yuv420p10le") +
           Arguments{"-c:v", "libx265", "-x265-params",
                     "log-level=none:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
                     "L(10000000,50):max-cll=1000,400",
                     file("hdr.mp4")});
    const auto sent = probedHdr(file("hdr.mp4"));
    EXPECT_EQ(sent.value("max_content", 0), 1000) << sent;
    EXPECT_EQ(sent.value("max_luminance", ""), "10000000/10000") << sent;
    const auto value = [](const nlohmann::json& told, const char* name) {
        const std::string text = told.value(name, "0/1");
        return std::stod(text) / std::stod(text.substr(text.find('/') + 1));
    };
    // The second from the container's words alone: FFV1 has none of its own.
    for (const auto& [from, to] : {std::pair{"hdr.mp4", "first.mkv"}, std::pair{"first.mkv", "second.mkv"}}) {
        SCOPED_TRACE(to);
        record({file(from)}, {"--output", file(to), "--encoder", "ffv1"});
        const auto got = probedHdr(file(to));
        EXPECT_EQ(got.value("max_content", 0), 1000) << got;
        EXPECT_EQ(got.value("max_average", 0), 400) << got;
        for (const char* name : {"red_x", "red_y", "green_x", "green_y", "blue_x", "blue_y", "white_point_x",
                                 "white_point_y", "min_luminance", "max_luminance"}) {
            EXPECT_NEAR(value(got, name), value(sent, name), 1e-6) << name << got;
        }
    }
    EXPECT_TRUE(holds(record({file("hdr.mp4")}, {"--output", file("got.nut")}),
                      "nut does not hold what the stream says of its HDR"));
}

TEST_F(Recording, ItSaysWhichFieldIsFirst) {
    for (const auto& [order, told, inY4m] : {std::array{"tff", "tb", "tt"}, std::array{"bff", "bt", "bb"}}) {
        SCOPED_TRACE(order);
        ffmpeg(picture("yuv420p") +
               Arguments{"-vf", std::string("setfield=") + order, "-c:v", "ffv1", file("fields.mkv"), "-y"});
        ASSERT_EQ(probedHdr(file("fields.mkv"))["fields"], told);
        for (const auto& [name, expected] : {std::pair{"got.mkv", told}, std::pair{"got.y4m", inY4m}}) {
            record({file("fields.mkv")}, {"--output", file(name), "--force"});
            EXPECT_EQ(probedHdr(file(name))["fields"], expected) << name;
        }
        EXPECT_TRUE(holds(record({file("fields.mkv")}, {"--output", file("got.nut"), "--force"}),
                          "nut does not say that the pictures are interlaced"));
    }
    record({file("fields.mkv"), "--size", "96x64"}, {"--output", file("got.mkv"), "--force"});
    EXPECT_EQ(probedHdr(file("got.mkv"))["fields"], "progressive");
}

TEST_F(Recording, Ffv1KeepsEveryBit) {
    for (const std::string format : {"rgb24", "nv12", "yuv444p10le", "gray", "v210", "x2rgb10le"}) {
        SCOPED_TRACE(format);
        record(
            {"pattern:zone", "--size", "192x95", "--format", format, "--frames", std::to_string(kPictures)},
            {"--output", file("got.mkv"), "--force", "--encoder", "ffv1"});
        const auto sent = frameSums(file("sent"));
        EXPECT_TRUE(holds(probed(file("got.mkv")), "codec_name=ffv1"));
        Verbcast again(sendArguments({file("got.mkv"), "--format", format}), home_);
        Verbcast viewer({"view", "--headless", again.listenAddress(), "--once"}, home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(again, 0));
        EXPECT_EQ(frameSums(file("sent")), sent);
    }
}

TEST_F(Recording, WhatFfmpegEncodesIsWholeAndSaysTheColours) {
    const std::string clip = hdrClip("yuv420p10le");
    for (const auto& [name, encoder, codec] :
         {std::tuple{"got.mp4", "libx264,preset=veryfast", "h264"},
          std::tuple{"got.mov", "prores_ks", "prores"}, std::tuple{"got.mkv", "libx265", "hevc"}}) {
        SCOPED_TRACE(name);
        record({clip}, {"--output", file(name), "--encoder", encoder});
        EXPECT_TRUE(holds(probed(file(name)), std::string("codec_name=") + codec));
        EXPECT_TRUE(holds(probed(file(name)), "duration=0.36"));
        EXPECT_TRUE(holds(probed(file(name)), "color_primaries=bt2020"));
        EXPECT_EQ(ffmpegFrameSums({"-i", file(name)}).size(), static_cast<std::size_t>(kPictures));
    }
    EXPECT_TRUE(holds(record({"pattern", "--size", "64x64", "--format", "rgba", "--frames", "2"},
                             {"--output", file("rgb.mp4"), "--encoder", "mpeg4"}),
                      "rgba is converted to yuv420p, which mpeg4 takes: it loses chroma resolution"));
    // Of one range only; of RGB only; for players of 4:2:0.
    for (const auto& [format, encoder, wanted] :
         {std::tuple{"yuv420p", "mjpeg", "color_range=pc"},
          std::tuple{"yuv420p", "libx264rgb", "color_range=pc\ncolor_space=gbr"},
          std::tuple{"rgba", "libx264,pix_fmt=yuv420p", "pix_fmt=yuv420p"}}) {
        SCOPED_TRACE(encoder);
        record({"pattern", "--size", "64x64", "--format", format, "--frames", std::to_string(kPictures)},
               {"--output", file("any.mkv"), "--force", "--encoder", encoder});
        EXPECT_TRUE(holds(probed(file("any.mkv")), wanted));
        EXPECT_EQ(ffmpegFrameSums({"-i", file("any.mkv")}).size(), static_cast<std::size_t>(kPictures));
    }
}

TEST_F(Recording, EncodedVideoGoesThroughAPipe) {
    Verbcast sender(sendArguments({"pattern", "--size", "64x64", "--frames", std::to_string(kPictures)}),
                    home_);
    KernelPipe pipe;
    ChildProcess viewer({verbcastPath(), "view", "--headless", sender.listenAddress(), "--once", "--output",
                         "-", "--output-format", "mp4", "--encoder", "libx264"},
                        {.folder = home_.path(), .output = pipe.writing.get()});
    pipe.writing.reset();
    ChildProcess reader({"ffmpeg", "-v", "error", "-i", "-", "-f", "framemd5", "-"},
                        {.folder = home_.path(), .input = pipe.reading.get()});
    pipe.reading.reset();
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(reader, 0));
    EXPECT_EQ(frameSumsIn(reader.output()).size(), static_cast<std::size_t>(kPictures));
}

TEST_F(Recording, EncodersThatCannotAreRefused) {
    std::ofstream(file("take.mp4")) << "precious";
    for (const auto& [encoder, text] :
         {std::pair{"nosuch", "has no encoder for video of that name"},
          std::pair{"aac", "has no encoder for video of that name"},
          std::pair{"ffv1", "--encoder ffv1: mp4 does not hold ffv1"},
          std::pair{"libx264,nosuch=1", "--encoder libx264: it has no option nosuch"}}) {
        Verbcast viewer({"view", "--headless", listenAddressFor("shm"), "--output", file("take.mp4"),
                         "--force", "--encoder", encoder},
                        home_);
        EXPECT_TRUE(endsWith(viewer, kUsage));
        EXPECT_TRUE(holds(viewer.errors(), text));
    }
    EXPECT_EQ(std::filesystem::file_size(file("take.mp4")), 8U);
    Verbcast sender({"send", "pattern", "--size", "64x64", "--listen", listenAddressFor("shm"), "--once"},
                    home_);
    Verbcast viewer({"view", "--headless", sender.listenAddress(), "--output", file("got.mp4"), "--encoder",
                     "libx264,nosuch=1"},
                    home_);
    EXPECT_TRUE(endsWith(viewer, kUsage));
    EXPECT_TRUE(holds(viewer.errors(), "--encoder libx264: it has no option nosuch"));
}

TEST_F(Recording, ChangesThatAFileDoesNotSayAreNoted) {
    const ReservedAddress place("tcp");
    Verbcast viewer(
        {"view", "--headless", "--listen", place.url(), "--frames", "200", "--output", file("got.mkv")},
        home_);
    ASSERT_TRUE(viewer.waitForError("waiting for a sender"));
    const Arguments to{"--once", "--policy", "lossless", "--to", place.url()};
    Verbcast first(Arguments{"send", clip("yuv420p10le"), "--loop"} + to, home_);
    ASSERT_TRUE(viewer.waitForError("receiving 320x180"));
    first.kill();
    Verbcast second(Arguments{"send", hdrClip("yuv420p10le"), "--loop"} + to, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(second, 0));
    EXPECT_TRUE(holds(viewer.errors(), "the stream has changed: its colours are BT.2020"));
}

}  // namespace
}  // namespace verbcast::testing

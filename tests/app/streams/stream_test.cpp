// What arrives equals what was sent, and what was sent equals what FFmpeg reads from the file: every format,
// every transport.
#include <fcntl.h>

#include <tuple>

#include "core/video/video_format.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

constexpr int kFrames = 12;

struct Size {
    int width, height;
    std::string text() const { return std::to_string(width) + "x" + std::to_string(height); }
};

/// A stream from one program to another.
struct Stream {
    std::vector<FrameSum> sent, received;
    nlohmann::json sender, viewer;
};

class StreamTest : public ProgramAndFfmpegTest {
  protected:
    Arguments sendArguments(const Arguments& source) const {
        Arguments arguments{"send",        "--fps",      "max",          "--once",
                            "--frame-md5", file("sent"), "--stats-json", file("sender")};
        arguments.insert(arguments.end(), source.begin(), source.end());
        return arguments;
    }
    Arguments viewArguments(const Arguments& address) const {
        Arguments arguments{"view",           "--headless",   "--once",      "--frame-md5",
                            file("received"), "--stats-json", file("viewer")};
        arguments.insert(arguments.end(), address.begin(), address.end());
        return arguments;
    }
    Stream result() const {
        return {frameSums(file("sent")), frameSums(file("received")), readJson(file("sender")),
                readJson(file("viewer"))};
    }

    /// `source` is what follows `send`; `input` the sender's standard input.
    Stream stream(const std::string& transport, Arguments source, int input = -1) {
        source.insert(source.end(), {"--listen", listenAddressFor(transport)});
        Verbcast sender(sendArguments(source), home_, input);
        Verbcast viewer(viewArguments({sender.listenAddress()}), home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        EXPECT_EQ(sender.output() + viewer.output(), "");
        return result();
    }
};

void expectWhole(const Stream& stream, const std::string& format, const Size& size,
                 const std::vector<FrameSum>& expected) {
    EXPECT_EQ(stream.received, stream.sent);
    EXPECT_EQ(stream.sent, expected);
    for (const nlohmann::json& json : {stream.sender, stream.viewer}) {
        EXPECT_EQ(json["pixel_format"], format);
        EXPECT_EQ(json["width"], size.width);
        EXPECT_EQ(json["height"], size.height);
        EXPECT_EQ(json["frames_dropped"], 0);
        EXPECT_EQ(json["frames_corrupt"], 0);
        EXPECT_EQ(json["frames_shown"], expected.size());
        EXPECT_EQ(json["exit_reason"], "end of stream");
    }
    EXPECT_EQ(stream.sender["frames_sent"], expected.size());
    EXPECT_EQ(stream.viewer["frames_received"], expected.size());
}

class EveryFormat : public StreamTest,
                    public ::testing::WithParamInterface<std::tuple<std::string, std::string>> {
  protected:
    std::string transport() const { return std::get<0>(GetParam()); }
    std::string format() const { return std::get<1>(GetParam()); }

    void check(const Size& size) {
        SCOPED_TRACE(size.text());
        if (format() == "v210") {
            checkV210(size);
        } else if (format() == "p010le" || format() == "x2rgb10le") {
            checkRaw(size);
        } else {
            checkFile(size);
        }
    }

  private:
    Arguments picture(const Size& size, const std::string& pixelFormat) const {
        return {"-f",        "lavfi",
                "-i",        movingPicture(size.width, size.height, pixelFormat),
                "-frames:v", std::to_string(kFrames)};
    }
    void makeFile(const Size& size, const std::string& pixelFormat, const Arguments& codecAndName) const {
        Arguments arguments = picture(size, pixelFormat);
        arguments.insert(arguments.end(), codecAndName.begin(), codecAndName.end());
        ffmpeg(arguments);
    }

    void checkFile(const Size& size) {
        makeFile(size, format(), {"-c:v", "rawvideo", file("clip.nut")});
        const auto expected = ffmpegFrameSums({"-i", file("clip.nut")});
        ASSERT_EQ(expected.size(), kFrames);
        expectWhole(stream(transport(), {file("clip.nut")}), format(), size, expected);
    }

    /// For formats that no container carries.
    void checkRaw(const Size& size) {
        makeFile(size, format(), {"-f", "rawvideo", file("clip.raw")});
        const auto expected = ffmpegFrameSums(
            {"-f", "rawvideo", "-pix_fmt", format(), "-s", size.text(), "-i", file("clip.raw")});
        ASSERT_EQ(expected.size(), kFrames);
        const UniqueFd input(::open(file("clip.raw").c_str(), O_RDONLY | O_CLOEXEC));
        expectWhole(stream(transport(), {"-", "--size", size.text(), "--format", format()}, input.get()),
                    format(), size, expected);
    }

    /// FFmpeg decodes v210 to yuv422p10le; its encoder, which accepts even widths only, restores the bytes.
    void checkV210(const Size& size) {
        const Arguments source{file("clip.nut"), "--format", "v210"};
        makeFile(size, "yuv422p10le", {"-c:v", "rawvideo", file("clip.nut")});
        if (size.width % 2 != 0) {
            const Stream odd = stream(transport(), source);
            expectWhole(odd, "v210", size, odd.sent);
            EXPECT_EQ(odd.sent.size(), kFrames);
            return;
        }
        makeFile(size, "yuv422p10le", {"-c:v", "v210", file("clip.mov")});
        const auto expected = ffmpegFrameSums({"-i", file("clip.mov"), "-c:v", "v210"});
        ASSERT_EQ(expected.size(), kFrames);
        expectWhole(stream(transport(), source), "v210", size, expected);
        expectWhole(stream(transport(), {file("clip.mov"), "--format", "v210"}), "v210", size, expected);
    }
};

TEST_P(EveryFormat, ArrivesAsFfmpegSeesIt) {
    check({320, 180});
}

TEST_P(EveryFormat, OddSizesArriveAsFfmpegSeesThem) {
    check({127, 95});
}

std::vector<std::string> formatNames() {
    std::vector<std::string> names;
    for (const PixelFormatInfo& info : allPixelFormats()) {
        names.emplace_back(info.name);
    }
    return names;
}

using TransportAndFormat = std::tuple<std::string, std::string>;

/// No transport looks into the pixels: every format goes over shm, and over the others one each of packed,
/// planar and repacked pixels. The rest is for `scripts/test --all`.
std::vector<TransportAndFormat> transportsAndFormats(bool everyday) {
    std::vector<TransportAndFormat> list;
    for (const std::string& transport : variantsUnderTest()) {
        for (const std::string& format : formatNames()) {
            const bool few = format == "rgb24" || format == "yuv420p" || format == "v210";
            if ((transport == "shm" || few) == everyday) {
                list.emplace_back(transport, format);
            }
        }
    }
    return list;
}

std::string transportAndFormat(const ::testing::TestParamInfo<TransportAndFormat>& parameters) {
    return std::get<0>(parameters.param) + "_" + std::get<1>(parameters.param);
}

INSTANTIATE_TEST_SUITE_P(Over, EveryFormat, ::testing::ValuesIn(transportsAndFormats(true)),
                         transportAndFormat);
INSTANTIATE_TEST_SUITE_P(ThoroughOver, EveryFormat, ::testing::ValuesIn(transportsAndFormats(false)),
                         transportAndFormat);

class StreamOver : public StreamTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(StreamOver, CompressedFilesArriveWithTheirTimes) {
    // 714 rows are coded as 720 and cropped; B frames make decoding order differ from display order.
    ffmpeg({"-f", "lavfi", "-i", movingPicture(1280, 714, "yuv420p"), "-frames:v", "25", "-c:v", "libx264",
            "-preset", "veryfast", "-bf", "2", file("clip.mp4")});
    const auto expected = ffmpegFrameSums({"-i", file("clip.mp4")});
    ASSERT_EQ(expected.size(), 25U);
    expectWhole(stream(GetParam(), {file("clip.mp4")}), "yuv420p", {1280, 714}, expected);
}

TEST_P(StreamOver, SenderMayConnectToAViewerThatListens) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "nv12"), "-frames:v", "12", "-c:v", "rawvideo",
            file("clip.nut")});
    Verbcast viewer(viewArguments({"--listen", listenAddressFor(GetParam())}), home_);
    Verbcast sender(sendArguments({file("clip.nut"), "--to", viewer.listenAddress()}), home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
    expectWhole(result(), "nv12", {320, 180}, ffmpegFrameSums({"-i", file("clip.nut")}));
}

TEST_P(StreamOver, SlotsMayBeFew) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "rgb24"), "-frames:v", "12", "-c:v", "rawvideo",
            file("clip.nut")});
    const Stream two = stream(GetParam(), {file("clip.nut"), "--slots", "2"});
    expectWhole(two, "rgb24", {320, 180}, ffmpegFrameSums({"-i", file("clip.nut")}));
}

TEST_P(StreamOver, LoopedFilesGoOnWithoutAGap) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(64, 48, "gray"), "-frames:v", "5", "-c:v", "rawvideo",
            file("clip.nut")});
    const auto once = ffmpegFrameSums({"-i", file("clip.nut")});
    const Stream looped = stream(GetParam(), {file("clip.nut"), "--loop", "--frames", "17"});
    EXPECT_EQ(looped.received, looped.sent);
    ASSERT_EQ(looped.sent.size(), 17U);
    for (std::size_t i = 0; i < looped.sent.size(); ++i) {
        EXPECT_EQ(looped.sent[i].pts, static_cast<std::int64_t>(i));
        EXPECT_EQ(looped.sent[i].md5, once[i % once.size()].md5) << "frame " << i;
    }
}

VERBCAST_OVER_TRANSPORTS(StreamOver, variantsUnderTest());

using StreamInputTest = StreamTest;

TEST_F(StreamInputTest, RawFramesComeThroughAPipe) {
    KernelPipe pipe;
    const Arguments picture{"-f", "lavfi", "-i", movingPicture(640, 360, "uyvy422"), "-frames:v", "25"};
    Arguments maker{"ffmpeg", "-nostdin", "-v", "error"};
    maker.insert(maker.end(), picture.begin(), picture.end());
    maker.insert(maker.end(), {"-f", "rawvideo", "-"});
    ChildProcess source(maker, {.folder = home_.path(), .output = pipe.writing.get()});
    pipe.writing.reset();
    Verbcast sender(
        sendArguments({"-", "--size", "640x360", "--format", "uyvy422", "--listen", listenAddressFor("shm")}),
        home_, pipe.reading.get());
    pipe.reading.reset();
    Verbcast viewer(viewArguments({sender.listenAddress()}), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(source, 0));
    expectWhole(result(), "uyvy422", {640, 360}, ffmpegFrameSums(picture));
}

TEST_F(StreamInputTest, UnlistedFormatIsConvertedToTheNearestAndSaid) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "bgr24"), "-frames:v", "3", "-c:v", "rawvideo",
            file("clip.nut")});
    Verbcast sender(sendArguments({file("clip.nut"), "--listen", listenAddressFor("shm")}), home_);
    Verbcast viewer(viewArguments({sender.listenAddress()}), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    const std::string format = readJson(file("viewer"))["pixel_format"];
    EXPECT_TRUE(holds(sender.errors(), "bgr24 is sent as " + format));
    // Only the order of components changes: a lossless conversion.
    EXPECT_EQ(frameSums(file("received")), ffmpegFrameSums({"-i", file("clip.nut"), "-pix_fmt", format}));
}

TEST_F(StreamInputTest, PlainAddressTakesSharedMemoryOnOneHostAndSaysWhy) {
    const ReservedAddress address("tcp");
    const std::string plain = address.url().substr(std::string("tcp://").size());
    Verbcast sender(sendArguments({"pattern", "--size", "64x64", "--frames", "5", "--policy", "lossless",
                                   "--listen", plain}),
                    home_);
    ASSERT_TRUE(sender.waitForError("waiting for a viewer on"));
    EXPECT_TRUE(holds(sender.errors(), address.url()));
    Verbcast viewer(viewArguments({plain}), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(viewer.errors(), "over shm (both are on this host"));
    EXPECT_EQ(result().viewer["transport"], "shm");
    EXPECT_EQ(result().received.size(), 5U);
}

}  // namespace
}  // namespace verbcast::testing

// Input that cannot be sent and peers that cannot be used: a clear message and the matching exit code.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class BadInput : public ProgramAndFfmpegTest {
  protected:
    /// Sends what `source` names to a viewer; both must exit by themselves.
    void stream(const Arguments& source, int senderCode, int viewerCode, int input = -1) {
        Arguments arguments{"send",         "--fps",       "max",
                            "--once",       "--listen",    listenAddressFor("shm"),
                            "--stats-json", file("sender")};
        arguments.insert(arguments.end(), source.begin(), source.end());
        Verbcast sender(arguments, home_, input);
        Verbcast viewer({"view", "--headless", sender.listenAddress(), "--stats-json", file("viewer"),
                         "--frame-md5", file("received")},
                        home_);
        EXPECT_TRUE(endsWith(sender, senderCode));
        EXPECT_TRUE(endsWith(viewer, viewerCode));
        senderErrors_ = sender.errors();
        sender_ = readJson(file("sender"));
        viewer_ = readJson(file("viewer"));
    }

    std::string senderErrors_;
    nlohmann::json sender_, viewer_;
};

class Outputs : public ProgramTest {};

TEST_F(BadInput, FileThatIsNoVideoIsRefused) {
    std::ofstream(file("letter.txt")) << "Dear reader, this is no video.\n";
    Verbcast text({"send", file("letter.txt")}, home_);
    EXPECT_TRUE(endsWith(text, kInput));
    EXPECT_TRUE(holds(text.errors(), file("letter.txt")));
    EXPECT_TRUE(holds(text.errors(), "try: "));

    std::ofstream(file("words.srt")) << "1\n00:00:00,000 --> 00:00:01,000\nNothing is seen or heard.\n";
    Verbcast words({"send", file("words.srt")}, home_);
    EXPECT_TRUE(endsWith(words, kInput));
    EXPECT_TRUE(holds(words.errors(), file("words.srt") + " (srt) holds neither video nor sound"));
    EXPECT_EQ(text.output() + words.output(), "");
}

/// As in /tmp, where anybody can put a link to one of the user's files.
TEST_F(Outputs, FollowNoLinksThatOthersMayHavePlaced) {
    std::ofstream(file("profile")) << "precious";
    std::filesystem::create_directory(file("shared"));
    ASSERT_EQ(::chmod(file("shared").c_str(), 01777), 0);
    const std::string link = file("shared/take.nut");
    std::filesystem::create_symlink(file("profile"), link);
    const std::string address = listenAddressFor("shm");
    for (const Arguments& arguments : {Arguments{"view", "--headless", "--output", link, address},
                                       Arguments{"view", "--headless", "--frame-md5", link, address},
                                       Arguments{"view", "--headless", "--stats-json", link, address},
                                       Arguments{"pipe", "recv", "--from", address, "--output", link},
                                       Arguments{"wall", "new", "2x2", "--force", "--output", link}}) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, kUsage)) << arguments[3];
        EXPECT_TRUE(holds(program.errors(), "writing " + link + ": a link, in a folder that everybody can"));
    }
    EXPECT_EQ(contentOf(file("profile")), "precious");
}

/// FFmpeg is loaded when it is needed: without it everything else works, and no file is lost.
TEST_F(BadInput, FfmpegThatIsNotInstalledIsNamed) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(64, 64, "rgba"), "-frames:v", "3", "-c:v", "rawvideo",
            file("clip.nut")});
    std::filesystem::create_directory(file("libraries"));
    for (int version = 58; version < 70; ++version) {
        std::ofstream(file("libraries/libavformat.so." + std::to_string(version))) << "no library";
    }
    ::setenv("LD_LIBRARY_PATH", file("libraries").c_str(), 1);
    const auto size = std::filesystem::file_size(file("clip.nut"));
    Verbcast needs({"send", file("clip.nut")}, home_);
    Verbcast recorder(
        {"view", "--headless", "--wait", "1", "--output", file("clip.nut"), listenAddressFor("shm")}, home_);
    const std::string address = listenAddressFor("shm");
    Verbcast sender({"send", "pattern", "--size", "64x64", "--frames", "3", "--once", "--listen", address},
                    home_);
    Verbcast viewer({"view", "--headless", "--once", address}, home_);
    ::unsetenv("LD_LIBRARY_PATH");
    EXPECT_TRUE(endsWith(needs, kDevice));
    EXPECT_TRUE(holds(needs.errors(), "FFmpeg's libavformat.so."));
    EXPECT_TRUE(holds(needs.errors(), "try: install libavformat"));
    EXPECT_TRUE(endsWith(recorder, kDevice));
    EXPECT_TRUE(holds(recorder.errors(), "try: install libavformat"));
    EXPECT_EQ(std::filesystem::file_size(file("clip.nut")), size);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
}

TEST_F(BadInput, TruncatedFilePlaysWhatDecodesAndSaysSo) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "yuv420p"), "-frames:v", "50", "-c:v", "libx264",
            "-preset", "veryfast", "-g", "10", file("whole.ts")});
    const auto whole = ffmpegFrameSums({"-i", file("whole.ts")});
    std::filesystem::copy_file(file("whole.ts"), file("cut.ts"));
    std::filesystem::resize_file(file("cut.ts"), std::filesystem::file_size(file("whole.ts")) * 6 / 10);
    stream({file("cut.ts"), "--threads", "4"}, kCorrupt, kCorrupt);
    EXPECT_TRUE(holds(senderErrors_, "damaged"));
    EXPECT_TRUE(holds(senderErrors_, "corrupt or truncated"));
    EXPECT_GE(sender_["frames_corrupt"], 1);
    EXPECT_GE(viewer_["frames_corrupt"], 1);
    const auto received = frameSums(file("received"));
    EXPECT_EQ(sender_["frames_sent"], received.size());
    ASSERT_GT(received.size(), 15U);
    ASSERT_LT(received.size(), whole.size());
    // The frames before the cut are unchanged.
    for (std::size_t i = 0; i < 15; ++i) {
        EXPECT_EQ(received[i].md5, whole[i].md5) << "frame " << i;
    }
}

TEST_F(BadInput, FileWhoseIndexIsCutOffIsRefused) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "yuv420p"), "-frames:v", "25", "-c:v", "libx264",
            file("clip.mp4")});
    std::filesystem::resize_file(file("clip.mp4"), std::filesystem::file_size(file("clip.mp4")) / 2);
    Verbcast program({"send", file("clip.mp4")}, home_);
    EXPECT_TRUE(endsWith(program, kInput));
    EXPECT_TRUE(holds(program.errors(), file("clip.mp4")));
    EXPECT_TRUE(holds(program.errors(), "moov atom not found")) << "as FFmpeg says it";
    EXPECT_TRUE(holds(program.errors(), "try: "));
}

TEST_F(BadInput, HalfARawFrameIsCountedAndSaid) {
    const std::size_t frame = 64 * 48 * 4;
    std::ofstream(file("frames.raw"), std::ios::binary) << std::string(3 * frame + frame / 2, 'v');
    const UniqueFd input(::open(file("frames.raw").c_str(), O_RDONLY | O_CLOEXEC));
    stream({"-", "--size", "64x48", "--format", "rgba"}, kCorrupt, 0, input.get());
    EXPECT_EQ(sender_["frames_sent"], 3);
    EXPECT_EQ(sender_["frames_corrupt"], 1);
    EXPECT_EQ(viewer_["frames_received"], 3);
    EXPECT_TRUE(holds(senderErrors_, "stdin ended in the middle of frame 3: 6144 of 12288 bytes"));
}

TEST_F(BadInput, NoRawFrameAtAllIsAnEmptyStream) {
    stream({"-", "--size", "64x48", "--format", "rgba"}, 0, 0);
    EXPECT_EQ(sender_["frames_sent"], 0);
    EXPECT_EQ(viewer_["frames_received"], 0);
    EXPECT_EQ(viewer_["exit_reason"], "end of stream");
}

class BadInputOver : public BadInput, public ::testing::WithParamInterface<std::string> {};

TEST_P(BadInputOver, TakenAddressIsRefused) {
    Verbcast first({"send", "pattern", "--size", "64x64", "--listen", listenAddressFor(GetParam())}, home_);
    const std::string address = first.listenAddress();
    Verbcast second({"send", "pattern", "--size", "64x64", "--listen", address}, home_);
    Verbcast third({"view", "--headless", "--listen", address}, home_);
    for (Verbcast* program : {&second, &third}) {
        EXPECT_TRUE(endsWith(*program, kNetwork));
        EXPECT_TRUE(holds(program->errors(), "is taken"));
        EXPECT_TRUE(holds(program->errors(), address.substr(address.find_last_of(":/") + 1)));
        EXPECT_TRUE(holds(program->errors(), "try: choose another"));
        EXPECT_EQ(program->output(), "");
    }
    EXPECT_TRUE(first.running()) << first.errors();
    first.signal(SIGINT);
    EXPECT_TRUE(endsWith(first, kInterrupted));
}

TEST_P(BadInputOver, NobodyListeningIsWaitedForInWords) {
    const ReservedAddress address(GetParam());
    Verbcast viewer({"view", "--headless", address.url(), "--stats-json", file("viewer")}, home_);
    Verbcast sender({"send", "pattern", "--to", address.url(), "--stats-json", file("sender")}, home_);
    for (Verbcast* program : {&viewer, &sender}) {
        ASSERT_TRUE(program->waitForError("connecting to " + address.url())) << program->errors();
        program->signal(SIGINT);
        EXPECT_TRUE(endsWith(*program, kInterrupted));
        EXPECT_EQ(program->output(), "");
    }
    EXPECT_EQ(readJson(file("viewer"))["exit_reason"], "interrupted");
    EXPECT_EQ(readJson(file("viewer"))["frames_received"], 0);
    EXPECT_EQ(readJson(file("sender"))["exit_reason"], "interrupted");
    EXPECT_EQ(readJson(file("sender"))["frames_sent"], 0);
}

TEST_P(BadInputOver, ViewerIsNoSenderForAViewerThatListens) {
    Verbcast listening({"view", "--headless", "--listen", listenAddressFor(GetParam())}, home_);
    Verbcast caller({"view", "--headless", listening.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(caller, kPeer));
    EXPECT_TRUE(holds(caller.errors(), "both sides are a viewer"));
    EXPECT_TRUE(holds(caller.errors(), "send and view, or pipe send and pipe recv"));
    // It still waits, and accepts a sender.
    Verbcast sender(
        {"send", "pattern", "--size", "64x64", "--frames", "3", "--to", listening.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(listening, 0));
    EXPECT_TRUE(endsWith(sender, 0));
}

TEST_P(BadInputOver, SenderIsNoViewerForASenderThatListens) {
    Verbcast listening({"send", "pattern", "--size", "64x64", "--frames", "3", "--policy", "lossless",
                        "--listen", listenAddressFor(GetParam())},
                       home_);
    Verbcast caller({"send", "pattern", "--size", "64x64", "--to", listening.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(caller, kPeer));
    EXPECT_TRUE(holds(caller.errors(), "both sides are a sender"));
    Verbcast viewer({"view", "--headless", listening.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(listening, 0));
}

TEST_P(BadInputOver, SecondSenderOfAViewerWaitsForItsTurn) {
    Verbcast viewer({"view", "--headless", "--listen", listenAddressFor(GetParam())}, home_);
    const std::string address = viewer.listenAddress();
    Verbcast first({"send", "pattern", "--size", "64x64", "--to", address}, home_);
    ASSERT_TRUE(viewer.waitForError("receiving 64x64"));
    Verbcast second({"send", "pattern", "--size", "96x64", "--to", address}, home_);
    ASSERT_TRUE(second.waitForError("connecting to " + address));
    const std::size_t mark = viewer.errorMark();
    first.signal(SIGKILL);
    EXPECT_TRUE(endsWith(first, 128 + SIGKILL));
    EXPECT_TRUE(viewer.waitForError("receiving 96x64", mark)) << viewer.errors();
    viewer.signal(SIGTERM);
    EXPECT_TRUE(endsWith(viewer, kInterrupted));
}

INSTANTIATE_TEST_SUITE_P(Over, BadInputOver, ::testing::ValuesIn(schemesUnderTest()), variantName);

}  // namespace
}  // namespace verbcast::testing

// What cannot work is refused in words: the thing, its value, what was expected or what to do, an exit code
// of its kind, and nothing left behind.
#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include "tests/app/exit_codes.h"
#include "tests/app/verbcast_program.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

/// A command line that is refused at once.
struct Refused {
    std::string name;
    Arguments arguments;
    int exitCode;
    std::vector<std::string> says;
};
void PrintTo(const Refused& refused, std::ostream* out) {
    *out << refused.name;
}

std::string refusedName(const ::testing::TestParamInfo<Refused>& refused) {
    return refused.param.name;
}

class RefusedCommand : public ProgramTest, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedCommand, SaysWhyAndEndsWithItsCode) {
    Verbcast program(GetParam().arguments, home_);
    EXPECT_TRUE(endsWith(program, GetParam().exitCode));
    EXPECT_EQ(program.output(), "");
    EXPECT_TRUE(program.errors().starts_with("verbcast: ")) << program.errors();
    for (const std::string& part : GetParam().says) {
        EXPECT_TRUE(holds(program.errors(), part));
    }
}

Arguments send(const Arguments& more) {
    Arguments arguments{"send", "pattern", "--listen", listenAddressFor("shm")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

const char* const kSizes = "WIDTHxHEIGHT from 16x16 to 16384x16384 expected";

std::vector<Refused> refusedCommands() {
    return {
        {"NoSessionNamed", {"--session"}, kUsage, {"--session", "verbcast --help"}},
        {"UnknownSubcommand", {"stream"}, kUsage, {"stream", "verbcast --help"}},
        {"MisspeltSubcommand", {"sned", "pattern"}, kUsage, {"no command \"sned\"", "did you mean send?"}},
        {"MisspeltOption", {"send", "pattern", "--fromat", "rgba"}, kUsage, {"did you mean --format?"}},
        {"MisspeltOptionWithValue", {"view", "--outptu=a.mp4"}, kUsage, {"did you mean --output?"}},
        {"MisspeltPattern",
         {"send", "pattern:bras", "--listen", listenAddressFor("shm")},
         kUsage,
         {"did you mean bars?", "gradient"}},
        {"MisspeltSource",
         {"send", "patern:bars", "--listen", listenAddressFor("shm")},
         kInput,
         {"did you mean pattern?"}},
        {"UnknownOption", {"view", "--nosuch"}, kUsage, {"--nosuch", "verbcast view --help"}},
        {"UnknownTopOption", {"--nosuch"}, kUsage, {"--nosuch", "verbcast --help"}},
        {"OptionWithoutValue", {"send", "pattern", "--size"}, kUsage, {"--size", "verbcast send --help"}},
        {"NoSource", {"send"}, kUsage, {"SOURCE", "verbcast send --help"}},
        {"TwoSources", {"send", "a", "b"}, kUsage, {"b", "verbcast send --help"}},
        {"EmptySource", {"send", ""}, kUsage, {"source", "pattern:NAME"}},
        {"NoSuchFile", {"send", "absent.mp4"}, kInput, {"absent.mp4", "No such file", "try: "}},
        {"Folder", {"send", "/"}, kInput, {"/", "Is a directory", "name one file"}},
        {"EmptyFile", {"send", "/dev/null"}, kInput, {"/dev/null", "not a media file", "ffprobe"}},
        {"UnknownPattern", {"send", "pattern:stars"}, kUsage, {"stars", "bars, gradient, noise"}},
        {"UnknownScene", {"render", "--scene", "stars"}, kUsage, {"--scene stars", "waves, swarm"}},
        {"SceneWithoutRate", {"render", "--fps", "source"}, kUsage, {"--fps source", "--fps 60"}},
        {"SceneOfNoSize", {"render", "--size", "0x0"}, kUsage, {"--size 0x0", kSizes}},
        {"UnknownFormat", send({"--format", "yuv999"}), kUsage, {"--format yuv999", "yuv420p", "v210"}},
        {"SizeOfZero", send({"--size", "0x0"}), kUsage, {"--size 0x0", kSizes, "try: "}},
        {"SizeOfAMillion", send({"--size", "1000000x1000000"}), kUsage, {"--size 1000000x1000000", kSizes}},
        {"SizeTooSmall", send({"--size", "15x15"}), kUsage, {"--size 15x15", kSizes}},
        {"SizeTooLarge", send({"--size", "16385x16"}), kUsage, {"--size 16385x16", kSizes}},
        {"SizeOfHugeNumbers", send({"--size", "99999999999999999999x16"}), kUsage, {kSizes}},
        {"NegativeSize", send({"--size", "-64x-64"}), kUsage, {"-64x-64"}},
        {"SizeOfWords", send({"--size", "big"}), kUsage, {"--size big", kSizes}},
        {"SizeWithMore", send({"--size", "640x480x3"}), kUsage, {"--size 640x480x3", kSizes}},
        {"FiguresNowhere", send({"--stats-fd", "987"}), kUsage, {"--stats-fd 987", "3>figures.jsonl"}},
        {"FiguresOfWords", send({"--stats-fd", "out"}), kUsage, {"--stats-fd out", "number"}},
        {"FiguresIntoInput", send({"--stats-fd", "0"}), kUsage, {"--stats-fd 0", "open for writing"}},
        {"PreviewElsewhere", send({"--preview", "tcp://a"}), kUsage, {"tcp://a", "shm://NAME"}},
        {"UnknownPolicy", send({"--policy", "best"}), kUsage, {"--policy best", "latest or lossless"}},
        {"OneSlot", send({"--slots", "1"}), kUsage, {"--slots 1", "2 to 64 expected"}},
        {"TooManySlots", send({"--slots", "65"}), kUsage, {"--slots 65", "2 to 64 expected"}},
        {"SlotsOfWords", send({"--slots", "many"}), kUsage, {"--slots", "many"}},
        {"RateOfZero", send({"--fps", "0"}), kUsage, {"--fps 0", "'source' or 'max'", "60000/1001"}},
        {"RateOfNothing", send({"--fps", "60/0"}), kUsage, {"--fps 60/0", "try: "}},
        {"NegativeRate", send({"--fps", "-5"}), kUsage, {"-5"}},
        {"NoFrames", send({"--frames", "0"}), kUsage, {"--frames 0", "from 1"}},
        {"FramesOfWords", send({"--frames", "ten"}), kUsage, {"--frames ten"}},
        {"NegativeSeconds", send({"--seconds", "-1"}), kUsage, {"--seconds", "-1"}},
        {"EndlessSeconds", send({"--seconds", "inf"}), kUsage, {"--seconds inf", "expected"}},
        {"QuietAndVerbose", send({"-q", "-v"}), kUsage, {"-q and -v"}},
        {"TooManyThreads", send({"--threads", "65"}), kUsage, {"--threads 65", "0 to 64 expected"}},
        {"RawWithoutSize", {"send", "-", "--format", "rgba"}, kUsage, {"stdin", "--size and --format"}},
        {"RawWithoutFormat", {"send", "-", "--size", "64x64"}, kUsage, {"stdin", "--size and --format"}},
        {"NoSuchCamera", {"send", "/dev/video987"}, kDevice, {"no camera /dev/video987", "verbcast devices"}},
        {"NoSuchCameraById", {"send", "/dev/v4l/by-id/nobody"}, kDevice, {"no camera /dev/v4l/by-id/nobody"}},
        {"DeviceThatIsNoCamera", {"send", "v4l2:/dev/null"}, kDevice, {"/dev/null is not a camera"}},
        {"FileThatIsNoCamera", {"send", "v4l2:/etc/passwd"}, kDevice, {"/etc/passwd is not a camera"}},
        {"UnknownScheme", {"view", "--headless", "ftp://wall"}, kUsage, {"ftp", "shm, verbs, tcp"}},
        {"UnknownSchemeToSend", {"send", "pattern", "--to", "udp://a"}, kUsage, {"udp", "tcp://host:port"}},
        {"PortTooLarge", {"view", "--headless", "tcp://a:65536"}, kUsage, {"65536", "0 to 65535 expected"}},
        {"PortOfWords", {"view", "--headless", "a:b"}, kUsage, {"\"b\" is not a port"}},
        {"OpenBracket", {"view", "--headless", "tcp://[::1"}, kUsage, {"tcp://[::1", "bracket"}},
        {"SharedNameWithPath", {"view", "--headless", "shm://a/b"}, kUsage, {"a/b", "is not a name"}},
        {"SharedNameTooLong",
         {"view", "--headless", "shm://" + std::string(200, 'x')},
         kUsage,
         {"1 to 80 letters"}},
        {"AddressAndListen",
         {"view", "--headless", "tcp://127.0.0.1", "--listen", "tcp://127.0.0.1:0"},
         kUsage,
         {"--listen", "cannot be combined", "one side listens"}},
        {"ToAndListen", send({"--to", "tcp://127.0.0.1"}), kUsage, {"--listen", "cannot be combined"}},
        {"SnapshotWithoutWindow",
         {"view", "--headless", "--snapshot", "a.png"},
         kUsage,
         {"--snapshot", "--headless", "xvfb-run"}},
        {"OutputOfAnotherKind",
         {"view", "--output", "a.mp4"},
         kUsage,
         {"a.mp4", ".nut, .y4m", "ffmpeg -i -"}},
        {"UnknownOutputFormat",
         {"view", "--output", "-", "--output-format", "avi"},
         kUsage,
         {"avi", "nut, y4m, rawvideo"}},
        {"OutputFormatAlone",
         {"view", "--output-format", "nut"},
         kUsage,
         {"--output-format", "--output FILE"}},
        {"OutputThatIsAFolder", {"view", "--output", "/"}, kUsage, {"--output file on /", "can be written"}},
        {"TwoOutputs",
         {"view", "--output", "-", "--stats-json", "-"},
         kUsage,
         {"standard output", "--stats-json"}},
        {"OutputInAWindow", {"view", "--output", "-", "--fullscreen"}, kUsage, {"--fullscreen", "--output"}},
        {"UnknownUpload", {"view", "--upload", "magic"}, kUsage, {"--upload", "magic", "pbo"}},
        {"ForeignAddress",
         {"send", "pattern", "--listen", "tcp://192.0.2.1:7"},
         kNetwork,
         {"192.0.2.1:7", "try: "}},
        {"UnknownHostToView",
         {"view", "--headless", "tcp://wall.invalid:7423"},
         kNetwork,
         {"wall.invalid", "cannot be found", "try: check the spelling"}},
        {"UnknownHostToSendTo",
         {"send", "pattern", "--to", "wall.invalid"},
         kNetwork,
         {"wall.invalid", "cannot be found", "try: check the spelling"}},
        {"UnknownHostToListenOn",
         {"send", "pattern", "--listen", "tcp://wall.invalid:7423"},
         kNetwork,
         {"wall.invalid", "cannot be found", "try: "}},
    };
}

INSTANTIATE_TEST_SUITE_P(Of, RefusedCommand, ::testing::ValuesIn(refusedCommands()), refusedName);

class BadInput : public ProgramTest {
  protected:
    /// Sends what `source` names to a viewer; both must end by themselves.
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

TEST_F(BadInput, FileThatIsNoVideoIsRefused) {
    std::ofstream(file("letter.txt")) << "Dear reader, this is no video.\n";
    Verbcast text({"send", file("letter.txt")}, home_);
    EXPECT_TRUE(endsWith(text, kInput));
    EXPECT_TRUE(holds(text.errors(), file("letter.txt")));
    EXPECT_TRUE(holds(text.errors(), "try: "));

    ffmpeg({"-f", "lavfi", "-i", "sine=duration=0.2", file("tone.wav")});
    Verbcast sound({"send", file("tone.wav")}, home_);
    EXPECT_TRUE(endsWith(sound, kInput));
    EXPECT_TRUE(holds(sound.errors(), file("tone.wav")));
    EXPECT_TRUE(holds(sound.errors(), "video"));
    EXPECT_EQ(text.output() + sound.output(), "");
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
    // All but the pictures around the cut are as they were.
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
    EXPECT_TRUE(holds(caller.errors(), "one sending and one viewing"));
    // It still waits, and takes a sender.
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

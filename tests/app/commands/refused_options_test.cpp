// Options that are wrong or contradict each other are refused with a message (the option, its value, what was
// expected or what to do) and the exit code of a wrong usage, before anything is opened. Without the program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/cli/report_error.h"
#include "app/commands/command_line.h"
#include "tests/app/commands/refused.h"
#include "tests/support/exit_codes.h"

namespace verbcast::testing {
namespace {

using Arguments = std::vector<std::string>;

using RefusedOptions = ::testing::TestWithParam<Refused>;

/// What main() does with a command line that cannot be parsed.
TEST_P(RefusedOptions, SaysWhyAndEndsWithItsCode) {
    std::vector<const char*> words{"verbcast"};
    for (const std::string& word : GetParam().arguments) {
        words.push_back(word.c_str());
    }
    int code = 0;
    ::testing::internal::CaptureStderr();
    try {
        parseCommandLine(static_cast<int>(words.size()), words.data(), [] { return std::string("0"); });
    } catch (...) {
        code = reportCurrentError();
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, GetParam().exitCode);
    EXPECT_TRUE(said.starts_with("verbcast: ")) << said;
    for (const std::string& part : GetParam().says) {
        EXPECT_NE(said.find(part), std::string::npos) << "\"" << part << "\" is missing in:\n" << said;
    }
}

Arguments send(const Arguments& more) {
    Arguments arguments{"send", "pattern", "--listen", "shm://refused"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

Arguments manyUrls() {
    Arguments arguments{"view", "--headless"};
    arguments.resize(arguments.size() + 65, "shm://one");
    return arguments;
}

const char* const kSizes = "WIDTHxHEIGHT from 16x16 to 16384x16384 expected";

std::vector<Refused> refusedOptions() {
    return {
        {"NoSessionNamed", {"--session"}, kUsage, {"--session", "verbcast --help"}},
        {"UnknownSubcommand", {"stream"}, kUsage, {"stream", "verbcast --help"}},
        {"MisspeltSubcommand", {"sned", "pattern"}, kUsage, {"no command \"sned\"", "did you mean send?"}},
        {"CopyThatIsGone",
         {"copy", "-r", "--help", "folder", "host:"},
         kUsage,
         {"copy is gone", "rsync", "tar c DIR | verbcast pipe send HOST"}},
        {"CameraMemory",
         send({"--camera-memory", "ring"}),
         kUsage,
         {"is now --memory", "host, where it was ring"}},
        {"ScreenMemory", send({"--screen-memory=copy"}), kUsage, {"--screen-memory is now --memory"}},
        {"MemoryOfNoDevice",
         send({"--memory", "dmabuf"}),
         kUsage,
         {"--memory dmabuf: it is for cameras and screens"}},
        {"MemoryOfSeveralKinds",
         {"send", "pattern", "v4l2", "--memory", "copy"},
         kUsage,
         {"--memory copy: it is for cameras and screens", "a sender for each kind"}},
        {"DoctorsPeerAsAFile",
         {"doctor", "--json", "render1:7423"},
         kUsage,
         {"a file expected", "give the address first"}},
        {"TimeToLive", send({"--ttl", "4"}), kUsage, {"--ttl is now", "--multicast 239.10.0.7?ttl=4"}},
        {"MulticastRate", send({"--multicast-rate", "8G"}), kUsage, {"?rate=8G"}},
        {"TimeToLiveOfAViewer",
         {"view", "multicast://239.10.0.7?ttl=4", "--headless"},
         kUsage,
         {"ttl=4 is not for viewers", "give it to the sender: --multicast 239.10.0.7?ttl=4"}},
        {"NoSync", {"view", "--no-sync"}, kUsage, {"--no-sync is now --frame-lock off"}},
        {"HelpOfNothing", {"help", "sned"}, kUsage, {"no command \"sned\"", "did you mean send?"}},
        {"MisspeltOption", {"send", "pattern", "--fromat", "rgba"}, kUsage, {"did you mean --format?"}},
        {"MisspeltOptionWithValue", {"view", "--outptu=a.mp4"}, kUsage, {"did you mean --output?"}},
        {"NumaOfNoNumber",
         send({"--numa", "near"}),
         kUsage,
         {"--numa near: auto, off or the number of a node"}},
        {"DrmWithoutKiosk", {"view", "shm://x", "--drm"}, kUsage, {"--drm needs --kiosk"}},
        {"ModeWithoutDrm", {"view", "--kiosk", "shm://x", "--mode", "1080p"}, kUsage, {"--mode needs --drm"}},
        {"ModeOfNoRate",
         {"view", "--kiosk", "shm://x", "--drm", "--mode", "1080p@fast"},
         kUsage,
         {"--mode 1080p@fast", "from 1 to 1000", "1920x1080@59.94"}},
        {"RecordingWithoutADesktop",
         {"view", "--kiosk", "shm://x", "--drm", "DP-1", "--output", "take.nut"},
         kUsage,
         {"--output: not without a desktop (--drm)"}},
        {"UnknownOption", {"view", "--nosuch"}, kUsage, {"--nosuch", "verbcast view --help"}},
        {"UnknownTopOption", {"--nosuch"}, kUsage, {"--nosuch", "verbcast --help"}},
        {"OptionWithoutValue", {"send", "pattern", "--size"}, kUsage, {"--size", "verbcast send --help"}},
        {"TimeoutTooShort", {"send", "pattern", "--timeout", "0.1"}, kUsage, {"--timeout 0.1", "0.5"}},
        {"NoSource", {"send"}, kUsage, {"SOURCE", "verbcast send --help"}},
        {"UnknownScene", {"render", "--scene", "stars"}, kUsage, {"--scene stars", "waves or swarm"}},
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
        {"StatsOfWords", send({"--stats-fd", "out"}), kUsage, {"--stats-fd out", "number"}},
        {"PreviewElsewhere", send({"--preview", "tcp://a"}), kUsage, {"tcp://a", "shm://NAME"}},
        {"UnknownChanges",
         send({"--changes", "some"}),
         kUsage,
         {"--changes some", "auto, source, compare or off"}},
        {"UnknownPolicy", send({"--policy", "best"}), kUsage, {"--policy best", "latest or lossless"}},
        {"OneSlot", send({"--slots", "1"}), kUsage, {"--slots 1", "2 to 64 expected"}},
        {"TooManySlots", send({"--slots", "65"}), kUsage, {"--slots 65", "2 to 64 expected"}},
        {"SlotsOfWords", send({"--slots", "many"}), kUsage, {"--slots", "many"}},
        {"RateOfZero", send({"--fps", "0"}), kUsage, {"--fps 0", "source or max", "60000/1001"}},
        {"RateOfNothing", send({"--fps", "60/0"}), kUsage, {"--fps 60/0", "try: "}},
        {"NegativeRate", send({"--fps", "-5"}), kUsage, {"-5"}},
        {"NoFrames", send({"--frames", "0"}), kUsage, {"--frames 0", "from 1"}},
        {"FramesOfWords", send({"--frames", "ten"}), kUsage, {"--frames ten"}},
        {"NegativeSeconds", send({"--seconds", "-1"}), kUsage, {"--seconds", "-1"}},
        {"EndlessSeconds", send({"--seconds", "inf"}), kUsage, {"--seconds inf", "expected"}},
        {"QuietAndVerbose", send({"-q", "-v"}), kUsage, {"-q and -v"}},
        {"TooManyThreads", send({"--threads", "65"}), kUsage, {"--threads 65", "0 to 64 expected"}},
        {"StartOfWords", send({"-ss", "soon"}), kUsage, {"--start soon", "1:02.5"}},
        {"ControlOfStdin",
         {"send", "-", "--size", "64x64", "--format", "rgba", "--control"},
         kUsage,
         {"--control reads standard input"}},
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
         {"--from tcp://127.0.0.1 and --listen tcp://127.0.0.1:0 contradict", "leave out one"}},
        {"ToAndListen",
         send({"--to", "tcp://127.0.0.1"}),
         kUsage,
         {"--to tcp://127.0.0.1 and --listen shm://",
          "--to connects to the peer, --listen waits here for it"}},
        {"TwoSenders",
         {"relay", "--from", "one", "--from", "two", "--to", "three"},
         kUsage,
         {"--from one and two contradict each other"}},
        {"StreamsOfOneUrl",
         {"view", "--headless", "one", "--streams", "2"},
         kUsage,
         {"--streams needs --listen", "of several URLs each is a stream"}},
        {"NoStreams",
         {"view", "--headless", "--listen", "tcp://127.0.0.1:0", "--streams", "0"},
         kUsage,
         {"--streams 0", "a whole number from 1"}},
        {"TooManyStreams",
         {"view", "--headless", "--listen", "tcp://127.0.0.1:0", "--streams", "65"},
         kUsage,
         {"--streams 65: at most 64 expected"}},
        {"TooManyUrls", manyUrls(), kUsage, {"65 URLs: at most 64 expected", "start a second viewer"}},
        {"OneFileForTwoStreams",
         {"view", "--headless", "one", "two", "--output", "take.nut"},
         kUsage,
         {"--output take.nut: 2 streams need a file each", "%n", "--output take-%n.nut"}},
        {"OneListForTwoStreams",
         {"view", "--headless", "--listen", "tcp://127.0.0.1:0", "--streams", "2", "--frame-md5", "-"},
         kUsage,
         {"--frame-md5 -: 2 streams need a file each", "--frame-md5 md5-%n"}},
        {"RelayFromNowhere",
         {"relay", "--listen", "tcp://127.0.0.1:0"},
         kUsage,
         {"--from URL to connect to the sender", "--from-listen to wait for it"}},
        {"RelayFromBoth",
         {"relay", "--from", "one", "--from-listen", ":7000", "--to", "two"},
         kUsage,
         {"--from one and --from-listen :7000 contradict each other"}},
        {"WaitForNoTime",
         send({"--wait", "-1"}),
         kUsage,
         {"--wait -1", "a number of seconds from 0 expected"}},
        {"RunAtNoRate",
         {"run", "--fps", "max", "--", "glxgears"},
         kUsage,
         {"--fps max: a rate from 0.01 to 100000 expected"}},
        {"RunWithSumsOnTheProgramsOutput",
         {"run", "--frame-md5", "-", "--", "glxgears"},
         kUsage,
         {"--frame-md5 -", "--frame-md5 FILE"}},
        {"SnapshotWithoutWindow",
         {"view", "--headless", "--snapshot", "a.png"},
         kUsage,
         {"--snapshot", "--headless", "xvfb-run"}},
        {"OutputOfAnotherKind",
         {"view", "--output", "a.gif"},
         kUsage,
         {"a.gif", ".nut, .mkv", "ffmpeg -i -"}},
        {"Mp4WithoutEncoder",
         {"view", "--output", "a.mp4"},
         kUsage,
         {"mp4 holds encoded video", "--encoder libx264"}},
        {"EncoderIntoY4m",
         {"view", "--output", "a.y4m", "--encoder", "ffv1"},
         kUsage,
         {"--encoder ffv1: y4m holds no encoded video", ".mkv"}},
        {"EncoderAlone", {"view", "--encoder", "ffv1"}, kUsage, {"--encoder needs --output"}},
        {"AudioEncoderAlone", {"view", "--audio-encoder", "aac"}, kUsage, {"--audio-encoder needs --output"}},
        {"UnknownOutputFormat",
         {"view", "--output", "-", "--output-format", "avi"},
         kUsage,
         {"avi", "nut, matroska, mov, mp4, y4m, rawvideo or wav"}},
        {"ForceAlone", {"view", "--headless", "--force"}, kUsage, {"--force needs --output"}},
        {"OutputFormatAlone",
         {"view", "--output-format", "nut"},
         kUsage,
         {"--output-format", "--output FILE"}},
        {"TwoOutputs",
         {"view", "--output", "-", "--stats-json", "-"},
         kUsage,
         {"standard output", "--stats-json"}},
        {"HeadlessOutputFullscreen",
         {"view", "--headless", "--output", "-", "--fullscreen"},
         kUsage,
         {"--fullscreen", "--headless"}},
        {"RateOfABaseline",
         {"bench", "limits", "--fps", "60"},
         kUsage,
         {"--fps with bench limits: nothing keeps to a rate there", "bench frames, stages, scale, viewers"}},
        {"RateOfABaselineGivenBefore",
         {"bench", "--fps", "60", "limits"},
         kUsage,
         {"--fps with bench limits"}},
        {"FramesOfViewers", {"bench", "viewers", "--frames", "9"}, kUsage, {"its runs last for --seconds"}},
        {"CheckOfStages", {"bench", "stages", "--verify", "full"}, kUsage, {"--verify with bench stages"}},
        {"SizeOfBlocks", {"bench", "sweep", "--size", "64x64"}, kUsage, {"--size with bench sweep"}},
        {"PinnedRegistration", {"bench", "register", "--pin", "0,1"}, kUsage, {"--pin with bench register"}},
        {"LoadOfADecoder",
         {"bench", "decode", "--source", "a.mp4", "--load", "1"},
         kUsage,
         {"--load with bench decode: it is measured alone"}},
        {"WindowAtNoRate",
         {"bench", "av", "--fps", "max"},
         kUsage,
         {"--fps max: a rate that the window keeps up with expected"}},
        {"SizeOfAnotherSender",
         {"bench", "av", "--from", "tcp://render1", "--size", "64x64"},
         kUsage,
         {"--size with --from: that sender chooses"}},
        {"StartsOfFrames", {"bench", "frames", "--starts", "3"}, kUsage, {"--starts"}},
        {"CheckOfSound", {"bench", "av", "--verify", "full"}, kUsage, {"--verify with bench av"}},
        {"GpuOfNothing", {"bench", "frames", "--gpu", "0"}, kUsage, {"--gpu without --memory device"}},
        {"DeviceOfTcp",
         {"bench", "--transport", "tcp,shm", "--device", "mlx5_0"},
         kUsage,
         {"--device mlx5_0: none of these transports"}},
        {"FramesAndSeconds",
         {"bench", "--frames", "9", "--seconds", "1"},
         kUsage,
         {"--frames with --seconds: one of them ends a run"}},
        {"ReportOfAComparison",
         {"bench", "--compare", "a.json", "b.json", "--json", "c.json"},
         kUsage,
         {"--json with --compare"}},
        {"ModeOfAComparison",
         {"bench", "--compare", "a.json", "b.json", "rpc"},
         kUsage,
         {"bench rpc with --compare"}},
        {"UnknownUpload", {"view", "--upload", "magic"}, kUsage, {"--upload", "magic", "pbo"}},
    };
}

INSTANTIATE_TEST_SUITE_P(Of, RefusedOptions, ::testing::ValuesIn(refusedOptions()), refusedName);

}  // namespace
}  // namespace verbcast::testing

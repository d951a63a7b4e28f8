// A command that cannot work is refused with a message (the option, its value, what was expected or what to
// do) and the matching exit code, and leaves nothing behind. Those whose words alone are wrong:
// refused_options_test.cpp.
#include <string>
#include <vector>

#include "tests/app/commands/refused.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

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

std::vector<Refused> refusedCommands() {
    return {
        {"UnknownOption", {"view", "--nosuch"}, kUsage, {"--nosuch", "verbcast view --help"}},
        {"NumaOfNoNode",
         send({"--numa", "999"}),
         kUsage,
         {"--numa 999: there is no such node", "this machine"}},
        {"MisspeltPattern",
         {"send", "pattern:bras", "--listen", listenAddressFor("shm")},
         kUsage,
         {"did you mean bars?", "gradient"}},
        {"MisspeltSource",
         {"send", "patern:bars", "--listen", listenAddressFor("shm")},
         kInput,
         {"did you mean pattern?"}},
        {"TwoSourcesOneAbsent", {"send", "pattern", "absent.mp4"}, kInput, {"absent.mp4", "No such file"}},
        {"EmptySource", {"send", ""}, kUsage, {"source", "pattern:NAME"}},
        {"NoSuchFile", {"send", "absent.mp4"}, kInput, {"absent.mp4", "No such file", "try: "}},
        {"Folder", {"send", "/"}, kInput, {"/", "Is a directory", "name one file"}},
        {"EmptyFile", {"send", "/dev/null"}, kInput, {"/dev/null", "not a media file", "ffprobe"}},
        {"UnknownPattern", {"send", "pattern:stars"}, kUsage, {"stars", "bars, gradient, noise"}},
        {"StatsNowhere", send({"--stats-fd", "987"}), kUsage, {"--stats-fd 987", "3>stats.jsonl"}},
        {"StatsIntoInput", send({"--stats-fd", "0"}), kUsage, {"--stats-fd 0", "open for writing"}},
        {"PartOfAPattern", send({"-ss", "1"}), kUsage, {"-ss and -t", "pattern"}},
        {"ControlOfAPattern", send({"--control"}), kUsage, {"--control is for files"}},
        {"RawWithoutSize", {"send", "-", "--format", "rgba"}, kUsage, {"stdin", "--size and --format"}},
        {"RawWithoutFormat", {"send", "-", "--size", "64x64"}, kUsage, {"stdin", "--size and --format"}},
        {"NoSuchCamera", {"send", "/dev/video987"}, kDevice, {"no camera /dev/video987", "verbcast devices"}},
        {"NoSuchCameraById", {"send", "/dev/v4l/by-id/nobody"}, kDevice, {"no camera /dev/v4l/by-id/nobody"}},
        {"DeviceThatIsNoCamera", {"send", "v4l2:/dev/null"}, kDevice, {"/dev/null is not a camera"}},
        {"FileThatIsNoCamera", {"send", "v4l2:/etc/passwd"}, kDevice, {"/etc/passwd is not a camera"}},
        {"OutputThatIsAFolder",
         {"view", "--headless", "--output", "/"},
         kUsage,
         {"--output file on /", "can be written"}},
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

TEST(RefusedVariable, IsNamed) {
    ChildProcess program({"env", "VERBCAST_TIMEOUT=soon", verbcastPath(), "send", "pattern"});
    EXPECT_TRUE(endsWith(program, kUsage));
    EXPECT_TRUE(holds(program.errors(), "VERBCAST_TIMEOUT soon: a number of seconds from 0.5 expected"));
}

}  // namespace
}  // namespace verbcast::testing

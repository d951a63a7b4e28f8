// verbcast-kms: displays without a desktop. Separate from verbcast-gl, which loads neither FFmpeg (for
// stills) nor the libraries for a graphics card's displays.
//   verbcast-kms view --kiosk --drm ...     verbcast view: verbcast replaces itself by this program
//   verbcast-kms --displays                 what that can show on
#include <fmt/format.h>

#include <string_view>

#include "app/cli/numa_choice.h"
#include "app/cli/run_main.h"
#include "app/cli/verbosity.h"
#include "app/commands/command_line.h"
#include "app/kms/kms_kiosk.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/version.h"

namespace verbcast {
namespace {

int runKms(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--displays") {
        writeToStdout(displayLines());
        return 0;
    }
    // verbcast has parsed the same command line, so it has reported any mistakes.
    ChosenCommand command =
        parseCommandLine(argc, argv, [] { return fmt::format("verbcast-kms {}\n", kVersion); });
    if (auto* options = std::get_if<ViewOptions>(&command); options != nullptr && options->drm) {
        setVerbosity(options->verbosity);
        takePlace(*options, addressesOf(*options));
        return runKmsKiosk(*options);
    }
    throw Error(ErrorKind::Usage, "verbcast-kms only views without a desktop", "call verbcast instead");
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    return verbcast::runMain("verbcast-kms", [&] { return verbcast::runKms(argc, argv); });
}

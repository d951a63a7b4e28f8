// verbcast-gl: answers verbcast's questions about OpenGL, and renders, so that verbcast need not load it. No
// windows, no Qt.
//   verbcast-gl --gl-renderer               the renderer's name, or "none: REASON"
//   verbcast-gl --upload-rate WxH FORMAT    a JSON object: see app/bench/gl/upload_rate.h; or {error, remedy}
//   verbcast-gl render ...                  verbcast render: verbcast replaces itself by this program
//   verbcast-gl compose --layout ...        the same
//   verbcast-gl bench-worker ROLE           the benchmark's own
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/bench/gl/stages_roles.h"
#include "app/bench/gl/upload_rate.h"
#include "app/cli/numa_choice.h"
#include "app/cli/options/values.h"
#include "app/cli/run_main.h"
#include "app/cli/verbosity.h"
#include "app/commands/command_line.h"
#include "app/commands/compose/mosaic/mosaic_command.h"
#include "app/commands/render/render_command.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/version.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/offscreen_context.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

int printRenderer() {
    std::string name;
    try {
        const OffscreenContext context;
        name = glRendererName();
    } catch (const Error& error) {
        name = fmt::format("none: {}", error.what());
    }
    printToStdout("{}\n", name);
    return 0;
}

int printUploadRate(const std::string& size, const std::string& pixelFormat) {
    const auto [width, height] = sizeValue().parse("--size", size);
    const VideoFormat format = tightFormat(width, height, parsePixelFormat(pixelFormat));
    try {
        printToStdout("{}\n", measureUploadRate(format).dump());
        return 0;
    } catch (const Error& error) {
        printToStdout("{}\n", nlohmann::json{{"error", error.what()}, {"remedy", error.remedy()}}.dump());
        return error.exitCode();
    }
}

/// verbcast has parsed the same command line, so it has reported any mistakes.
int runCommand(int argc, char** argv) {
    ChosenCommand command =
        parseCommandLine(argc, argv, [] { return fmt::format("verbcast-gl {}\n", kVersion); });
    if (auto* options = std::get_if<RenderOptions>(&command)) {
        setVerbosity(options->verbosity);
        takePlace(*options, {options->sender});
        return runRender(*options);
    }
    if (auto* options = std::get_if<MosaicOptions>(&command)) {
        setVerbosity(options->verbosity);
        takePlace(*options, {options->sender});
        return runMosaic(*options);
    }
    throw Error(ErrorKind::Usage, "verbcast-gl only draws", "call verbcast instead");
}

constexpr std::array<std::pair<std::string_view, WorkerRole>, 4> kRoles{{
    {"stages-receive", stagesReceiveRole},
    {"stages-send", stagesRenderRole},
    {"stages-read-back", stagesReadBackRole},
    {"stages-upload", stagesUploadRole},
}};

int run(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() &&
        (arguments[0] == "render" || arguments[0] == "compose" || arguments[0] == "view")) {
        return runCommand(argc, argv);
    }
    if (arguments.size() == 1 && arguments[0] == "--gl-renderer") {
        return printRenderer();
    }
    if (arguments.size() == 3 && arguments[0] == "--upload-rate") {
        return printUploadRate(arguments[1], arguments[2]);
    }
    if (arguments.size() == 2 && arguments[0] == "bench-worker") {
        return runWorkerRole(kRoles, arguments[1]);
    }
    throw Error(ErrorKind::Usage, "verbcast-gl only answers verbcast", "call verbcast instead");
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    return verbcast::runMain("verbcast-gl", [&] { return verbcast::run(argc, argv); });
}

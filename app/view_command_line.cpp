#include "app/view_command_line.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/option_values.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

Container containerByName(const std::string& name) {
    std::string names;
    for (const ContainerName& known : kContainers) {
        if (known.name == name) {
            return known.container;
        }
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    throw Error(ErrorKind::Usage, fmt::format("--output-format {}: one of {} expected", name, names));
}

/// What cannot be told from the name is NUT, unless the name promises something else.
Container containerOf(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    for (const ContainerName& known : kContainers) {
        for (const std::string_view theirs : known.extensions) {
            if (!theirs.empty() && extension == theirs) {
                return known.container;
            }
        }
    }
    std::error_code ignored;
    const bool isDevice =
        std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
    if (path == "-" || extension.empty() || isDevice) {
        return Container::Nut;
    }
    throw Error(ErrorKind::Usage, fmt::format("--output {}: .nut, .y4m, .raw, .yuv or .rgb expected", path),
                "name one with --output-format, or let ffmpeg encode it: verbcast view --output - | ffmpeg "
                "-i - " +
                    path);
}

}  // namespace

ViewCommandLine::ViewCommandLine(CLI::App& app)
    : StreamCommandLine(app, "view", "Receive a stream and show it in a window (or --headless)") {
    command().footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast view                        the sender on this machine\n  verbcast view "
        "verbs://render1:7423\n  verbcast view --listen :7423 --fullscreen\n  verbcast view --kiosk "
        "--listen --still logo.png\n  verbcast view render1 --output - | ffplay -\n" +
        kExitCodeHelp);
    addPeer("URL", "The sender to connect to (default: localhost:7423)");
    addListen("Wait there for a sender instead");
    command().add_flag("--headless", options_.headless, "No window: receive, count, and drop the frames");
    command()
        .add_option("--output", options_.output, "No window: write every frame there (- for stdout)")
        ->type_name("FILE");
    command()
        .add_option("--output-format", container_,
                    "nut: with times, any pixel format (default); y4m: planar YUV and gray;\n"
                    "rawvideo: nothing but pixels (default by the name: .nut, .y4m, .raw, .yuv, .rgb)")
        ->type_name("nut|y4m|rawvideo");
    command().add_flag("--fullscreen", options_.fullscreen, "Start with the picture filling the screen");
    command().add_flag(
        "--kiosk", options_.kiosk,
        "For an installation: nothing but the picture, on a whole monitor; waits for its sender forever");
    command()
        .add_option("--screen", options_.screen, "Kiosk: the monitor, by number (from 0) or name")
        ->type_name("N|NAME");
    command()
        .add_option("--still", options_.still, "Kiosk: PNG or JPEG to show while there is no signal")
        ->type_name("FILE");
    command().add_flag("--input", options_.input,
                       "Start with keys and mouse going to the sender, if it allows input");
    command()
        .add_option("--snapshot", options_.snapshot, "Save the last frame shown as PNG")
        ->type_name("FILE.png");
    command()
        .add_option("--upload", options_.upload, "How frames reach the GPU: auto (measured), direct, pbo")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "direct", "pbo"}));
    addMaxMemory();
    addRest(options_);
}

void ViewCommandLine::finishOutput(ViewOptions& options) const {
    if (options.output.empty()) {
        if (!container_.empty()) {
            throw Error(ErrorKind::Usage, "--output-format needs --output", "add --output FILE");
        }
        return;
    }
    options.headless = true;
    options.container = container_.empty() ? containerOf(options.output) : containerByName(container_);
    if (options.output == "-" && (options.statsJson == "-" || options.frameMd5 == "-")) {
        throw Error(ErrorKind::Usage,
                    "with --output -, standard output cannot also take --stats-json or --frame-md5",
                    "give --stats-json and --frame-md5 a file");
    }
}

ViewOptions ViewCommandLine::finish() const {
    ViewOptions options = options_;
    StreamCommandLine::finish(options, false);
    finishOutput(options);
    if (options.headless && (!options.snapshot.empty() || options.fullscreen)) {
        throw Error(ErrorKind::Usage,
                    "--snapshot and --fullscreen need a window; --headless and --output have none",
                    "leave it out (without a display: xvfb-run verbcast view ...)");
    }
    if (options.headless && (options.kiosk || options.input)) {
        throw Error(ErrorKind::Usage, "--kiosk and --input need a window; --headless and --output have none",
                    "leave it out (without a display: xvfb-run verbcast view ...)");
    }
    if (!options.kiosk && (!options.screen.empty() || !options.still.empty())) {
        throw Error(ErrorKind::Usage, "--screen and --still need --kiosk", "add --kiosk");
    }
    return options;
}

ReceiverOptions receiverOptions(const ViewOptions& options) {
    ReceiverOptions receiver;
    receiver.url = options.url;
    receiver.listen = options.listen;
    receiver.trust = options.trust;
    receiver.slots = options.slots;
    receiver.maxMemory = options.maxMemory;
    receiver.poll = options.poll;
    receiver.reconnect = !options.once;
    receiver.endWithStream = options.headless;
    return receiver;
}

}  // namespace verbcast

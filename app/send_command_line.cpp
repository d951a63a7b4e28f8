#include "app/send_command_line.h"

#include <fmt/format.h>

#include "app/option_values.h"
#include "core/base/error.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

std::string sceneList(const char* separator, bool summaries) {
    std::string list;
    for (const SceneName& scene : kSceneNames) {
        list += (list.empty() ? "" : separator) + std::string(scene.name);
        list += summaries ? fmt::format(": {}", scene.summary) : "";
    }
    return list;
}

}  // namespace

SendCommandLine::SendCommandLine(CLI::App& app)
    : SendingCommandLine(app, "send", "Send a file, a pattern, a camera, a screen or standard input") {
    command().footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast send clip.mp4\n  verbcast send pattern:zone --size 3840x2160 --fps 60 --to "
        "verbs://wall:7423\n  ffmpeg -i clip.mp4 -f nut -c:v rawvideo - | verbcast send -\n" +
        kExitCodeHelp);
    command()
        .add_option(
            "SOURCE", options_.source,
            "A media file, pattern[:bars|gradient|noise|zone|counter], a camera (v4l2[:/dev/videoN]), "
            "screen[:monitor=NAME|window=ID|rect=WxH+X+Y|x11|portal], or - for standard input: NUT, y4m and "
            "other formats with a header, or raw frames with --size and --format")
        ->required();
    addViewers(options_);
    command()
        .add_option("--format", format_,
                    "Pixel format to send (see verbcast formats; default: the source's own)")
        ->type_name("NAME");
    command().add_option("--size", size_, "Size to send")->type_name("WxH");
    addFps("Frames per second, 'source', or 'max' for as fast as possible", "N|source|max", "source");
    command().add_flag("--loop", options_.loop, "Start again at the end of the file");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default for patterns, cameras, screens);\n"
        "lossless: wait for the slowest viewer (default for files and stdin)");
    command().add_flag("--allow-input", options_.allowInput,
                       "Let viewers use the keyboard and mouse of this screen");
    command()
        .add_option("--threads", options_.decoderThreads, "Decoder threads (default: one per processor)")
        ->type_name("N");
    addWatch();
    addRest(options_);
}

SendOptions SendCommandLine::finish() const {
    SendOptions options = options_;
    SendingCommandLine::finish(options);
    if (!format_.empty()) {
        options.pixelFormat = parsePixelFormat(format_);
    }
    if (!size_.empty()) {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
        parseSize(size_, width, height);
        options.width = width;
        options.height = height;
    }
    if (options.decoderThreads < 0 || options.decoderThreads > 64) {
        throw Error(ErrorKind::Usage, fmt::format("--threads {}: 0 to 64 expected", options.decoderThreads));
    }
    return options;
}

RenderCommandLine::RenderCommandLine(CLI::App& app)
    : SendingCommandLine(app, "render", "Render a 3D scene off-screen and send it") {
    options_.scene = kSceneNames.front().name;
    command().footer("Scenes:\n  " + sceneList("\n  ", true) + "\n" + kAddressHelp +
                     "\nExamples:\n  verbcast render --allow-input\n  verbcast render --scene swarm --size "
                     "3840x2160 --to verbs://wall:7423\n" +
                     kExitCodeHelp);
    command()
        .add_option("--scene", options_.scene, "What to render: " + sceneList(", ", false))
        ->capture_default_str()
        ->type_name("NAME");
    addViewers(options_);
    command().add_option("--size", size_, "Size to render")->capture_default_str()->type_name("WxH");
    addFps("Frames per second, or 'max' for as fast as possible", "N|max", "60");
    command().add_flag("--allow-input", options_.allowInput,
                       "Viewers steer the camera: drag (or touch) and arrow keys turn it, the wheel zooms,\n"
                       "Space pauses, R resets");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default);\n"
        "lossless: wait for the slowest viewer");
    addWatch();
    addRest(options_);
}

RenderOptions RenderCommandLine::finish() const {
    RenderOptions options = options_;
    if (!isSceneName(options.scene)) {
        throw Error(ErrorKind::Usage, fmt::format("--scene {}: there is no such scene", options.scene),
                    "scenes are: " + sceneList(", ", false));
    }
    parseSize(size_, options.width, options.height);
    if (fps() == "source") {
        throw Error(ErrorKind::Usage, "--fps source: a scene has no rate of its own",
                    "give a number, for example --fps 60, or --fps max");
    }
    SendingCommandLine::finish(options);
    return options;
}

RelayCommandLine::RelayCommandLine(CLI::App& app)
    : SendingCommandLine(app, "relay", "Forward a stream from one connection to another") {
    command().footer(
        "Frames are sent from the memory in which they arrived. Viewers' input is not forwarded.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast relay verbs://render1 --listen tcp://:7000\n  verbcast relay :7423 "
        "--accept --to wall\n" +
        kExitCodeHelp);
    command().add_option("FROM", from_, "The sender to connect to")->required();
    command().add_flag("--accept", options_.acceptSender, "Wait at FROM for the sender instead");
    addViewers(options_);
    addPolicy(
        "lossless: wait for the slowest viewer; the sender's own policy decides (default);\n"
        "latest: drop frames that a viewer is too slow for");
    addMaxMemory();
    addRest(options_);
}

RelayOptions RelayCommandLine::finish() const {
    RelayOptions options = options_;
    options.from = parseUrl(from_);
    if (!options.acceptSender && options.from.host.empty()) {
        options.from.host = "localhost";
    }
    SendingCommandLine::finish(options);
    return options;
}

}  // namespace verbcast

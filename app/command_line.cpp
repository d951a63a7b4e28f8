#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/bench/bench_command_line.h"
#include "app/copy/copy_command_line.h"
#include "app/pipe/pipe_command_line.h"
#include "app/pipe/run/pipeline_command_line.h"
#include "app/run_command_line.h"
#include "app/watch_options.h"
#include "core/base/error.h"
#include "core/session/slot_count.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 internal error, 2 usage, 3 input, 4 network or peer lost, 5 memory, 6 refused or "
    "protocol,\n"
    "7 device, 8 display, 9 damaged frames, 130 interrupted. Documentation: README.md";

constexpr const char* kAddressHelp =
    "Addresses: verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works (port "
    "7423 if "
    "left out).";

/// Options as texts, before they are understood.
struct RawStream {
    std::string peer, listen, seconds, frames;
    bool listenGiven = false;
    bool quiet = false, verbose = false;
};

void addStreamOptions(CLI::App& command, StreamOptions& options, RawStream& raw) {
    command.add_option("--frames", raw.frames, "End after this many frames")->type_name("N");
    command.add_option("--seconds", raw.seconds, "End this long after the first frame")->type_name("S");
    command.add_option("--slots", options.slots, "Frames held at most, 2 to 64")
        ->capture_default_str()
        ->type_name("N");
    command.add_flag("--poll", options.poll,
                     "Spin on the transport instead of sleeping: lower latency, a core each side");
    command.add_flag("--once", options.once,
                     "End when the stream ends or the peer is gone, instead of waiting again");
    command.add_option("--stats-json", options.statsJson, "Write statistics here at the end (- for stdout)")
        ->type_name("FILE");
    command.add_option("--frame-md5", options.frameMd5, "Write sequence,pts,bytes,md5 of every frame")
        ->type_name("FILE");
    command.add_flag("-v,--verbose", raw.verbose, "Say more");
    command.add_flag("-q,--quiet", raw.quiet, "Say only what went wrong");
}

std::uint64_t parseCount(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value == 0) {
        throw Error(ErrorKind::Usage, fmt::format("{} {}: a whole number from 1 expected", option, text));
    }
    return value;
}

void finishStreamOptions(StreamOptions& options, const RawStream& raw, bool listenByDefault) {
    options.listen = raw.listenGiven || (raw.peer.empty() && listenByDefault);
    options.url = meetingPlace(raw.peer, raw.listenGiven, raw.listen, options.listen);
    if (!raw.frames.empty()) {
        options.frames = parseCount("--frames", raw.frames);
    }
    if (!raw.seconds.empty()) {
        options.duration = parseSeconds(raw.seconds);
    }
    checkedSlots(options.slots, "--slots");
    if (raw.quiet && raw.verbose) {
        throw Error(ErrorKind::Usage, "-q and -v exclude each other");
    }
    options.verbosity = raw.quiet ? Verbosity::Quiet : raw.verbose ? Verbosity::Verbose : Verbosity::Normal;
}

struct RawSend {
    std::string format, size, fps = "source", policy;
    WatchOptions watch;
};

CLI::App* addSend(CLI::App& app, SendOptions& options, RawStream& stream, RawSend& raw) {
    CLI::App* send =
        app.add_subcommand("send", "Send a file, a pattern, a camera, a screen or what comes on stdin");
    send->footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast send clip.mp4\n  verbcast send pattern:zone --size 3840x2160 --fps 60 --to "
        "verbs://wall:7423\n  ffmpeg -i clip.mp4 -f nut -c:v rawvideo - | verbcast send -\n" +
        kExitCodes);
    send->add_option(
            "SOURCE", options.source,
            "A media file, pattern[:bars|gradient|noise|zone|counter], a camera (v4l2[:/dev/videoN]), "
            "screen[:monitor=NAME|window=ID|rect=WxH+X+Y|x11|portal], or - for what comes on stdin: NUT, y4m "
            "and others "
            "that say what they hold, or raw frames with --size and --format")
        ->required();
    send->add_option("--to", stream.peer, "Connect to the viewer that listens there")->type_name("URL");
    send->add_option("--listen", stream.listen, "Wait there for viewers (default: every address, port 7423)")
        ->type_name("URL")
        ->expected(0, 1);
    send->add_option("--format", raw.format,
                     "Pixel format to send (see verbcast formats; default: the source's own)")
        ->type_name("NAME");
    send->add_option("--size", raw.size, "Size to send")->type_name("WxH");
    send->add_option("--fps", raw.fps, "Frames per second, 'source', or 'max' for as fast as possible")
        ->capture_default_str()
        ->type_name("N|source|max");
    send->add_flag("--loop", options.loop, "Start the file again at its end");
    send->add_option(
            "--policy", raw.policy,
            "latest: drop frames that a viewer is too slow for (default for patterns, cameras, screens);\n"
            "lossless: wait for the slowest viewer (default for files and stdin)")
        ->type_name("latest|lossless");
    send->add_flag("--allow-input", options.allowInput,
                   "Let viewers use keyboard and mouse of the screen that is sent");
    send->add_option("--threads", options.decoderThreads, "Decoder threads (default: one per processor)")
        ->type_name("N");
    raw.watch.addTo(*send);
    addStreamOptions(*send, options, stream);
    return send;
}

void finishSending(SendingOptions& options, const std::string& fps, const std::string& policy,
                   const WatchOptions& watch) {
    options.preview = watch.preview();
    options.statsDescriptor = watch.statsDescriptor();
    if (fps == "max") {
        options.pacing = Pacing::Max;
    } else if (fps != "source") {
        options.pacing = Pacing::Rate;
        options.rate = parseRate(fps);
    }
    if (policy == "latest") {
        options.policy = Policy::Latest;
    } else if (policy == "lossless") {
        options.policy = Policy::Lossless;
    } else if (!policy.empty()) {
        throw Error(ErrorKind::Usage, fmt::format("--policy {}: latest or lossless expected", policy));
    }
}

void finishSend(SendOptions& options, const RawStream& stream, const RawSend& raw) {
    finishStreamOptions(options, stream, true);
    if (!raw.format.empty()) {
        options.pixelFormat = parsePixelFormat(raw.format);
    }
    if (!raw.size.empty()) {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
        parseSize(raw.size, width, height);
        options.width = width;
        options.height = height;
    }
    finishSending(options, raw.fps, raw.policy, raw.watch);
    if (options.decoderThreads < 0 || options.decoderThreads > 64) {
        throw Error(ErrorKind::Usage, fmt::format("--threads {}: 0 to 64 expected", options.decoderThreads));
    }
}

struct RawRender {
    std::string scene = std::string(kSceneNames.front().name), size = "1920x1080", fps = "60", policy;
    WatchOptions watch;
};

std::string sceneList(const char* separator, bool summaries) {
    std::string list;
    for (const SceneName& scene : kSceneNames) {
        list += (list.empty() ? "" : separator) + std::string(scene.name);
        list += summaries ? fmt::format(": {}", scene.summary) : "";
    }
    return list;
}

CLI::App* addRender(CLI::App& app, RenderOptions& options, RawStream& stream, RawRender& raw) {
    CLI::App* render = app.add_subcommand("render", "Render a 3D scene off-screen and send it");
    render->footer("Scenes:\n  " + sceneList("\n  ", true) + "\n" + kAddressHelp +
                   "\nExamples:\n  verbcast render --allow-input\n  verbcast render --scene swarm --size "
                   "3840x2160 --to verbs://wall:7423\n" +
                   kExitCodes);
    render->add_option("--scene", raw.scene, "What to render: " + sceneList(", ", false))
        ->capture_default_str()
        ->type_name("NAME");
    render->add_option("--to", stream.peer, "Connect to the viewer that listens there")->type_name("URL");
    render
        ->add_option("--listen", stream.listen, "Wait there for viewers (default: every address, port 7423)")
        ->type_name("URL")
        ->expected(0, 1);
    render->add_option("--size", raw.size, "Size to render")->capture_default_str()->type_name("WxH");
    render->add_option("--fps", raw.fps, "Frames per second, or 'max' for as fast as possible")
        ->capture_default_str()
        ->type_name("N|max");
    render->add_flag("--allow-input", options.allowInput,
                     "Viewers steer the camera: drag (or touch) and arrow keys turn it, the wheel zooms,\n"
                     "Space pauses, R resets");
    render
        ->add_option("--policy", raw.policy,
                     "latest: drop frames that a viewer is too slow for (default);\n"
                     "lossless: wait for the slowest viewer")
        ->type_name("latest|lossless");
    raw.watch.addTo(*render);
    addStreamOptions(*render, options, stream);
    return render;
}

void finishRender(RenderOptions& options, const RawStream& stream, const RawRender& raw) {
    finishStreamOptions(options, stream, true);
    if (!isSceneName(raw.scene)) {
        throw Error(ErrorKind::Usage, fmt::format("--scene {}: there is no such scene", raw.scene),
                    "scenes are: " + sceneList(", ", false));
    }
    options.scene = raw.scene;
    parseSize(raw.size, options.width, options.height);
    if (raw.fps == "source") {
        throw Error(ErrorKind::Usage, "--fps source: a scene has no rate of its own",
                    "give a number, for example --fps 60, or --fps max");
    }
    finishSending(options, raw.fps, raw.policy, raw.watch);
}

struct RawRelay {
    std::string from, policy;
};

CLI::App* addRelay(CLI::App& app, RelayOptions& options, RawStream& stream, RawRelay& raw) {
    CLI::App* relay = app.add_subcommand("relay", "Pass a stream on from one connection to another");
    relay->footer(
        "Frames leave from the memory in which they arrived. Viewers' input is not passed on.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast relay verbs://render1 --listen tcp://:7000\n  verbcast relay :7423 "
        "--accept --to wall\n" +
        kExitCodes);
    relay->add_option("FROM", raw.from, "The sender to connect to")->required();
    relay->add_flag("--accept", options.acceptSender, "Wait at FROM for the sender instead");
    relay->add_option("--to", stream.peer, "Connect to the viewer that listens there")->type_name("URL");
    relay->add_option("--listen", stream.listen, "Wait there for viewers (default: every address, port 7423)")
        ->type_name("URL")
        ->expected(0, 1);
    relay
        ->add_option("--policy", raw.policy,
                     "lossless: wait for the slowest viewer; the sender does as it was told (default);\n"
                     "latest: drop frames that a viewer is too slow for")
        ->type_name("latest|lossless");
    addStreamOptions(*relay, options, stream);
    return relay;
}

void finishRelay(RelayOptions& options, const RawStream& stream, const RawRelay& raw) {
    finishStreamOptions(options, stream, true);
    options.from = parseUrl(raw.from);
    if (!options.acceptSender && options.from.host.empty()) {
        options.from.host = "localhost";
    }
    finishSending(options, "max", raw.policy, {});
}

struct RawView {
    std::string container;
};

CLI::App* addView(CLI::App& app, ViewOptions& options, RawStream& stream, RawView& raw) {
    CLI::App* view = app.add_subcommand("view", "Receive a stream and show it in a window (or --headless)");
    view->footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast view                        the sender on this machine\n  verbcast view "
        "verbs://render1:7423\n  verbcast view --listen :7423 --fullscreen\n  verbcast view --kiosk "
        "--listen --still logo.png\n  verbcast view render1 --output - | ffplay -\n" +
        kExitCodes);
    view->add_option("URL", stream.peer, "The sender to connect to (default: localhost:7423)");
    view->add_option("--listen", stream.listen, "Wait there for a sender instead")
        ->type_name("URL")
        ->expected(0, 1);
    view->add_flag("--headless", options.headless, "No window: receive, count, and drop the frames");
    view->add_option("--output", options.output, "No window: write every frame there (- for stdout)")
        ->type_name("FILE");
    view->add_option("--output-format", raw.container,
                     "nut: with times, any pixel format (default); y4m: planar YUV and gray;\n"
                     "rawvideo: nothing but pixels (default by the name: .nut, .y4m, .raw, .yuv, .rgb)")
        ->type_name("nut|y4m|rawvideo");
    view->add_flag("--fullscreen", options.fullscreen, "Start with the picture filling the screen");
    view->add_flag(
        "--kiosk", options.kiosk,
        "For an installation: only the picture, on a whole monitor; waits for its sender for ever");
    view->add_option("--screen", options.screen, "Kiosk: the monitor, by number (from 0) or name")
        ->type_name("N|NAME");
    view->add_option("--still", options.still, "Kiosk: PNG or JPEG to show while there is no signal")
        ->type_name("FILE");
    view->add_flag("--input", options.input,
                   "Start with keys and mouse going to the sender, if it allows that");
    view->add_option("--snapshot", options.snapshot, "Save the last frame shown as PNG")
        ->type_name("FILE.png");
    view->add_option("--upload", options.upload, "How frames reach the GPU: auto (measured), direct, pbo")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "direct", "pbo"}));
    addStreamOptions(*view, options, stream);
    return view;
}

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

void finishOutput(ViewOptions& options, const std::string& container) {
    if (options.output.empty()) {
        if (!container.empty()) {
            throw Error(ErrorKind::Usage, "--output-format belongs to --output", "add --output FILE");
        }
        return;
    }
    options.headless = true;
    options.container = container.empty() ? containerOf(options.output) : containerByName(container);
    if (options.output == "-" && (options.statsJson == "-" || options.frameMd5 == "-")) {
        throw Error(ErrorKind::Usage, "standard output takes --output alone",
                    "give --stats-json and --frame-md5 a file");
    }
}

void finishView(ViewOptions& options, const RawStream& stream, const RawView& raw) {
    finishStreamOptions(options, stream, false);
    finishOutput(options, raw.container);
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
        throw Error(ErrorKind::Usage, "--screen and --still belong to --kiosk", "add --kiosk");
    }
}

}  // namespace

Url meetingPlace(const std::string& peer, bool listenGiven, const std::string& listenAt, bool listens) {
    if (!peer.empty() && listenGiven) {
        throw Error(ErrorKind::Usage, "an address to connect to and --listen exclude each other",
                    "give one of them: one side listens, the other connects");
    }
    const std::string& address = listens ? listenAt : peer;
    Url url = address.empty() ? Url{} : parseUrl(address);
    if (!listens && url.host.empty()) {
        url.host = "localhost";
    }
    return url;
}

std::chrono::nanoseconds parseSeconds(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value <= 0 || value > 1e9) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--seconds {}: a number of seconds above 0 expected", text));
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9));
}

PixelFormat parsePixelFormat(const std::string& text) {
    if (const auto format = pixelFormatByName(text)) {
        return *format;
    }
    throw Error(ErrorKind::Usage, fmt::format("--format {}: unknown pixel format", text),
                "one of " + pixelFormatNames());
}

ReceiverOptions receiverOptions(const ViewOptions& options) {
    ReceiverOptions receiver;
    receiver.url = options.url;
    receiver.listen = options.listen;
    receiver.slots = options.slots;
    receiver.poll = options.poll;
    receiver.reconnect = !options.once;
    receiver.endWithStream = options.headless;
    return receiver;
}

void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height) {
    unsigned w = 0;
    unsigned h = 0;
    const char* begin = text.data();
    const char* last = begin + text.size();
    const auto first = std::from_chars(begin, last, w);
    bool good = first.ec == std::errc() && first.ptr != last && (*first.ptr == 'x' || *first.ptr == 'X');
    if (good) {
        const auto second = std::from_chars(first.ptr + 1, last, h);
        good = second.ec == std::errc() && second.ptr == last;
    }
    if (!good || w < kMinDimension || w > kMaxDimension || h < kMinDimension || h > kMaxDimension) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--size {}: WIDTHxHEIGHT from 16x16 to 16384x16384 expected", text),
                    "for example --size 3840x2160");
    }
    width = w;
    height = h;
}

Scheme parseTransport(const std::string& text, std::initializer_list<Scheme> allowed, const char* expected) {
    for (const Scheme scheme : allowed) {
        if (text == schemeName(scheme)) {
            return scheme;
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("--transport {}: {} expected", text, expected));
}

Rational parseRate(const std::string& text) {
    double numerator = 0;
    double denominator = 1;
    char* end = nullptr;
    numerator = std::strtod(text.c_str(), &end);
    bool good = end != text.c_str();
    if (good && *end == '/') {
        const char* rest = end + 1;
        denominator = std::strtod(rest, &end);
        good = end != rest;
    }
    const double rate = numerator / denominator;
    if (!good || *end != '\0' || !(rate >= 0.01 && rate <= 100000)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--fps {}: a rate from 0.01 to 100000, 'source' or 'max' expected", text),
                    "for example --fps 60, --fps 59.94 or --fps 60000/1001");
    }
    if (denominator != 1 && std::floor(numerator) == numerator && std::floor(denominator) == denominator &&
        numerator < 2e9 && denominator < 2e9) {
        return {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
    }
    // 23.98, 29.97, 59.94, 119.88 mean the NTSC rates.
    const double ntsc = std::round(rate * 1.001);
    if (std::floor(rate) != rate && std::abs(ntsc / 1.001 - rate) < 0.006) {
        return {static_cast<std::int32_t>(ntsc) * 1000, 1001};
    }
    if (std::floor(rate) == rate) {
        return {static_cast<std::int32_t>(rate), 1};
    }
    return {static_cast<std::int32_t>(std::lround(rate * 1000)), 1000};
}

namespace {

/// The subcommand that was asked for, or `app` itself; `before` gets the names of those around it.
const CLI::App* innermost(const CLI::App& app, std::string& before) {
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) {
        before += (before.empty() ? "" : " ") + asked->get_name();
        asked = asked->get_subcommands().front();
    }
    return asked;
}

/// "verbcast pipe send"
std::string commandNames(const CLI::App& app) {
    std::string before;
    const CLI::App* asked = innermost(app, before);
    return before.empty() ? asked->get_name() : before + " " + asked->get_name();
}

}  // namespace

Command parseCommandLine(int argc, const char* const* argv, std::string (*version)()) {
    CLI::App app(
        "Verbcast sends uncompressed video between processes and machines: RDMA, shared memory or TCP.",
        "verbcast");
    app.footer("Without a subcommand the main window opens, to send and to view from.\n" +
               std::string(kAddressHelp) +
               "\nTry:  verbcast send pattern --size 3840x2160 --fps 60   and   verbcast view\n" +
               kExitCodes);
    app.require_subcommand(0, 1);
    MainWindowOptions mainWindow;
    app.add_option("--session", mainWindow.session,
                   "Without a subcommand: open the window with the settings of this file, saved from it")
        ->type_name("FILE");
    bool showVersion = false;
    app.add_flag("--version", showVersion, "Version of verbcast, its libraries and what is compiled in");
    app.get_formatter()->column_width(34);

    SendOptions send;
    RenderOptions render;
    RelayOptions relay;
    ViewOptions view;
    RawStream sendStream;
    RawStream renderStream;
    RawStream relayStream;
    RawStream viewStream;
    RawView rawView;
    RawSend rawSend;
    RawRender rawRender;
    RawRelay rawRelay;
    CLI::App* sendCommand = addSend(app, send, sendStream, rawSend);
    CLI::App* renderCommand = addRender(app, render, renderStream, rawRender);
    CLI::App* relayCommand = addRelay(app, relay, relayStream, rawRelay);
    CLI::App* viewCommand = addView(app, view, viewStream, rawView);
    CLI::App* formatsCommand = app.add_subcommand("formats", "List the pixel formats");
    CLI::App* devicesCommand =
        app.add_subcommand("devices", "List RDMA devices, capture devices and the GL renderer");
    const BenchCommandLine bench(app);
    const DoctorCommandLine doctor(app);
    const RunCommandLine run(app);
    const PipeCommandLine pipe(app);
    const PipelineCommandLine pipeline(*app.get_subcommand("pipe"));
    const CopyCommandLine copy(app);
    WorkerOptions worker;
    CLI::App* workerCommand = app.add_subcommand("bench-worker")->group("");  // not listed
    workerCommand->add_option("ROLE", worker.role)->required();
    if (argc == 2 && std::string_view(argv[1]).ends_with(kSessionSuffix)) {
        return MainWindowOptions{argv[1]};  // as file managers open one
    }
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--version") {
            return PrintText{version()};
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::string before;
        const CLI::App* asked = innermost(app, before);
        return PrintText{asked->help(before)};
    } catch (const CLI::ParseError& error) {
        const auto subcommands = app.get_subcommands();
        if (subcommands.empty() && argc > 1 && argv[1][0] != '-') {
            throw Error(ErrorKind::Usage,
                        fmt::format("\"{}\": a subcommand is required: send, render, run, relay, view, pipe, "
                                    "copy, bench, doctor, formats or devices",
                                    argv[1]),
                        "see verbcast --help");
        }
        throw Error(ErrorKind::Usage, error.what(), fmt::format("see {} --help", commandNames(app)));
    }
    if (run.parsed()) {
        return run.finish();
    }
    if (copy.parsed()) {
        return copy.finish();
    }
    if (copy.receiveParsed()) {
        return copy.receiveOptions();
    }
    if (pipeline.stageParsed()) {
        return StageOptions{};
    }
    if (pipeline.parsed()) {
        return pipeline.finish();
    }
    if (pipe.parsed()) {
        return pipe.finish();
    }
    if (sendCommand->parsed()) {
        sendStream.listenGiven = sendCommand->count("--listen") > 0;
        finishSend(send, sendStream, rawSend);
        return send;
    }
    if (renderCommand->parsed()) {
        renderStream.listenGiven = renderCommand->count("--listen") > 0;
        finishRender(render, renderStream, rawRender);
        return render;
    }
    if (relayCommand->parsed()) {
        relayStream.listenGiven = relayCommand->count("--listen") > 0;
        finishRelay(relay, relayStream, rawRelay);
        return relay;
    }
    if (viewCommand->parsed()) {
        viewStream.listenGiven = viewCommand->count("--listen") > 0;
        finishView(view, viewStream, rawView);
        return view;
    }
    if (bench.parsed()) {
        return std::visit([](auto&& options) -> Command { return options; }, bench.finish());
    }
    if (doctor.parsed()) {
        return doctor.finish();
    }
    if (workerCommand->parsed()) {
        return worker;
    }
    if (formatsCommand->parsed()) {
        return FormatsOptions{};
    }
    if (devicesCommand->parsed()) {
        return DevicesOptions{};
    }
    return mainWindow;
}

}  // namespace verbcast

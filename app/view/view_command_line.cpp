#include "app/view/view_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "app/cli/gpu_option.h"
#include "app/cli/option_values.h"
#include "app/view/source/shared_session.h"
#include "app/view/source/tile_stream.h"
#include "app/view/words/alignment_words.h"
#include "app/view/words/upload_names.h"
#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

/// Whether frames that the peer sends can arrive in a device's memory. An address without a scheme may lead
/// to one.
bool reachesDevices(const StreamPeer& peer) {
    const Transport* transport = findTransport(peer.url.scheme);
    return !peer.trust.encrypt && (transport == nullptr || transport->reachesDevices);
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

/// Chosen by the extension; NUT for standard output, devices and names without one. Throws Error{Usage} for
/// other extensions.
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
    throw Error(ErrorKind::Usage,
                fmt::format("--output {}: .nut, .mkv, .mov, .mp4, .y4m, .raw, .yuv or .rgb expected", path),
                "name a format with --output-format, or let ffmpeg write it: verbcast view --headless "
                "--output - | ffmpeg -i - " +
                    path);
}

/// What is encoded, and what is not, does not go into every container.
void requireFits(Container container, const std::string& encoder) {
    const ContainerName& file = nameOf(container);
    if (encoder.empty() && !file.holdsRaw) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} holds encoded video, and no --encoder is given", file.name),
                    "name an encoder of FFmpeg's, for example --encoder libx264, or record every pixel into "
                    "Matroska (.mkv)");
    }
    if (!encoder.empty() && !file.holdsEncoded) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--encoder {}: {} holds no encoded video", encoder, file.name),
                    "record into Matroska (.mkv), .mov or .mp4");
    }
}

std::string layoutHelp() {
    std::string help = "How several streams share the window:";
    for (const LayoutName& known : kLayouts) {
        help += fmt::format("\n{}: {}", known.name, known.meaning);
    }
    return help;
}

std::string layoutNames(std::string_view separator) {
    std::string names;
    for (const LayoutName& known : kLayouts) {
        names += fmt::format("{}{}", names.empty() ? "" : separator, known.name);
    }
    return names;
}

Layout layoutByName(const std::string& name) {
    for (const LayoutName& known : kLayouts) {
        if (known.name == name) {
            return known.layout;
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("--layout {}: one of {} expected", name, layoutNames(", ")));
}

}  // namespace

ViewCommandLine::ViewCommandLine(CLI::App& app)
    : StreamCommandLine(app, "view", "Receive a stream and show it in a window (or --headless)") {
    command().footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast view                        the sender on this machine\n  verbcast view "
        "verbs://render1:7423\n  verbcast view --listen :7423 --fullscreen\n  verbcast view --listen :7423 "
        "--streams 6\n  verbcast view "
        "--layout free --panes \"1:0,0,100;2:60,55,35,80\" render1 render2\n  verbcast view --kiosk "
        "--listen --still logo.png\n  verbcast view --kiosk --wall wall.json --tile 1-2 render1\n  verbcast "
        "view --kiosk render1 --drm HDMI-A-1\n  verbcast "
        "view render1 --output take.nut\n  verbcast view --headless "
        "render1 --output - | ffplay -\n  verbcast view --headless render1 render2 --output take-%n.nut\n" +
        kFramesHelp + kExitCodeHelp);
    peer().addMany(command(),
                   {"--from,URL",
                    "Connect to the sender that listens there (default: localhost:7423);\n"
                    "several: one stream from each, at most 64; URL,URL: one stream over several rails"},
                   {"--listen", "Wait here for a sender (without a value: every address, port 7423)"});
    command()
        .add_option("--streams", streams_, "With --listen: accept this many senders, 1 to 64 (default: 1)")
        ->type_name("N");
    command().add_flag("--headless", options_.headless, "No window: receive, count, and drop the frames");
    command()
        .add_option("--output", options_.output,
                    "Record every frame to this file (- for stdout; add --headless for no window);\n"
                    "with several streams, %n in the name stands for the stream's number, as in --frame-md5")
        ->type_name("FILE");
    command().add_flag("--force", force_, "Replace an existing file at --output");
    command()
        .add_option("--output-format", container_,
                    "nut: with times, any pixel format (default); matroska: with the colours, too; mov and\n"
                    "mp4: with --encoder; y4m: planar YUV and gray; rawvideo: only pixels (default: by the\n"
                    "name's ending, .nut, .mkv, .mov, .mp4, .y4m, .raw, .yuv, .rgb)")
        ->type_name("nut|matroska|mov|mp4|y4m|rawvideo");
    command()
        .add_option("--encoder", options_.encoder,
                    "Encode what is recorded with this encoder of FFmpeg's, after a comma its options:\n"
                    "libx264,preset=veryfast,crf=12 (default: every pixel as it is)")
        ->type_name("NAME");
    command().add_option("--layout", layout_, layoutHelp())->type_name(layoutNames("|"));
    command().add_flag("--swap-eyes", options_.swapEyes,
                       "Stereo layouts: the first stream is the right eye's, not the left one's");
    command().add_flag("--stereo", stereo_,
                       "The stream is a stereo pair (verbcast send --stereo): show the right picture, too");
    command().add_option("--align", align_, kAlignHelp)->type_name("newest|capture|pts");
    command().add_option("--delay", delay_, kDelayHelp)->type_name("MS");
    command().add_flag("--sync", sync_,
                       "With --headless: take part in the sender's --sync like a window, without a screen");
    command().add_flag("--no-sync", noSync_,
                       "Show frames as they arrive, even if the sender synchronises windows (--sync)");
    command()
        .add_option("--panes", panes_,
                    "With --layout free: where the streams are, lowest first: NUMBER:LEFT,TOP,WIDTH in\n"
                    "percent of the window, an OPACITY in percent, \"alpha\" to use the picture's own;\n"
                    "for example \"1:0,0,100;2:60,55,35,80,alpha\"")
        ->type_name("N:LEFT,TOP,WIDTH[,OPACITY][,alpha][;...]");
    command()
        .add_option(
            "--wall", wall_,
            "With --tile: a wall's file (verbcast wall new); this viewer is one of its displays, and\n"
            "receives only that display's part of the picture")
        ->type_name("FILE");
    command()
        .add_option("--tile", tile_,
                    "With --wall: the name of the display; with several connectors in --drm,\n"
                    "one for each: NAME,NAME")
        ->type_name("NAME");
    command().add_flag("--fullscreen", options_.fullscreen, "Start with the picture filling the screen");
    command().add_flag(
        "--kiosk", options_.kiosk,
        "For an installation: nothing but the picture, on a whole monitor; waits for its sender forever");
    command()
        .add_option("--screen", options_.screen,
                    "The monitor to open the window on, by number (from 0) or name")
        ->type_name("N|NAME");
    drm_ = command()
               .add_option("--drm", connectors_,
                           "Kiosk without a desktop, on this connector of a graphics card (verbcast devices\n"
                           "lists them; several: NAME,NAME; without a value: the first with a display)")
               ->type_name("[CONNECTOR]")
               ->expected(0, 1);
    command()
        .add_option("--mode", mode_, "With --drm: use this mode instead of the display's preferred one")
        ->type_name("WxH[@HZ]");
    command()
        .add_option("--still", options_.still, "Kiosk: PNG or JPEG to show while there is no signal")
        ->type_name("FILE");
    command().add_flag("--input", options_.input,
                       "Start with keys and mouse going to the sender, if it allows input");
    command()
        .add_option("--snapshot", options_.snapshot, "Save the last frame shown as PNG")
        ->type_name("FILE.png");
    command()
        .add_option(
            "--upload", options_.upload,
            "How frames reach the GPU: auto (measured), direct, pbo, or pinned (an NVIDIA GPU fetches\n"
            "them itself)")
        ->capture_default_str()
        ->check(CLI::IsMember(kUploadNames))
        ->type_name("auto|direct|pbo|pinned");
    command()
        .add_option("--memory", memory_,
                    "Where frames arrive: host; device, in the memory of the NVIDIA GPU that shows them,\n"
                    "where RDMA devices write them; auto: there, if nothing has to copy them there")
        ->check(CLI::IsMember({"auto", "host", "device"}))
        ->capture_default_str()
        ->type_name("auto|host|device");
    addGpu(command());
    addMaxMemory();
    addRest(options_);
}

void ViewCommandLine::finishStreams(ViewOptions& options) const {
    const bool listens = options.peers.front().listen && !stereo_;
    if (!streams_.empty() && !listens) {
        throw Error(ErrorKind::Usage, "--streams needs --listen",
                    "add --listen, or leave out --streams: of several URLs each is a stream");
    }
    const std::uint64_t streams =
        !streams_.empty() ? parseCount("--streams", streams_) : options.peers.size();
    if (streams > kMaxViewedStreams) {
        const std::string asked =
            listens ? fmt::format("--streams {}", streams) : fmt::format("{} URLs", streams);
        throw Error(ErrorKind::Usage, fmt::format("{}: at most {} expected", asked, kMaxViewedStreams),
                    "start a second viewer for the rest");
    }
    options.streams = static_cast<std::uint32_t>(streams);
}

/// Both pictures come over one session, and are shown as two streams whose frames belong together.
void ViewCommandLine::finishStereo(ViewOptions& options) const {
    if (!stereo_) {
        return;
    }
    if (options.peers.size() > 1 || !streams_.empty()) {
        throw Error(ErrorKind::Usage, "--stereo with several streams: a stereo pair is one",
                    "leave out --stereo: each stream is one eye's then, as with --layout stereo-anaglyph");
    }
    if (!tile_.empty() || options.kiosk) {
        throw Error(ErrorKind::Usage, "--stereo with --tile or --kiosk: a window or --headless expected",
                    "leave one of them out");
    }
    StreamPeer& left = options.peers.front();
    left.session = std::make_shared<SharedSession>();
    StreamPeer right = left;
    right.track = kMainTrack + 1;
    options.peers.push_back(std::move(right));
}

void ViewCommandLine::finishOutput(ViewOptions& options) const {
    for (const auto& [option, path, example] : {std::tuple{"--output", &options.output, "take-%n.nut"},
                                                std::tuple{"--frame-md5", &options.frameMd5, "md5-%n"}}) {
        if (options.streams > 1 && !path->empty() && path->find(kStreamMark) == std::string::npos) {
            throw Error(
                ErrorKind::Usage,
                fmt::format(
                    "{} {}: {} streams need a file each: %n, for a stream's number, expected in the name",
                    option, *path, options.streams),
                fmt::format("for example {} {}", option, example));
        }
    }
    if (options.output.empty()) {
        if (force_) {
            throw Error(ErrorKind::Usage, "--force needs --output: it replaces that file",
                        "add --output FILE");
        }
        for (const auto& [option, value] :
             {std::pair{"--output-format", container_}, std::pair{"--encoder", options.encoder}}) {
            if (!value.empty()) {
                throw Error(ErrorKind::Usage, fmt::format("{} needs --output", option), "add --output FILE");
            }
        }
        return;
    }
    options.existing = force_ ? Existing::Replaced : Existing::Refused;
    options.container = container_.empty() ? containerOf(options.output) : containerByName(container_);
    requireFits(options.container, options.encoder);
    if (options.output == "-" && (options.statsJson == "-" || options.frameMd5 == "-")) {
        throw Error(ErrorKind::Usage,
                    "with --output -, standard output cannot also take --stats-json or --frame-md5",
                    "give --stats-json and --frame-md5 a file");
    }
}

void ViewCommandLine::finishAlignment(ViewOptions& options) const {
    options.alignment = parseAlignment(stereo_ && align_.empty() ? "pts" : align_, delay_);
    if (options.alignment.by != AlignBy::Newest && options.streams == 1) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--align {}: several streams expected, there is one", align_),
                    "name the URL of each, or use --listen --streams N");
    }
}

void ViewCommandLine::finishMemory(ViewOptions& options) const {
    const auto joins = [](const ViewedTile& tile) { return tile.sources.size() > 1; };
    const bool joined = (options.tile && joins(*options.tile)) || std::ranges::any_of(options.tiles, joins);
    options.memory = memory_ == "device" ? PictureMemory::Device : PictureMemory::Host;
    if (memory_ == "auto") {
        const bool processorReads =
            options.headless || joined || !options.frameMd5.empty() || !options.output.empty();
        if (!processorReads && options.upload == "auto" &&
            std::ranges::any_of(peersOf(options), reachesDevices)) {
            options.memory = PictureMemory::Auto;
        }
        return;
    }
    if (options.memory == PictureMemory::Host) {
        return;
    }
    if (joined) {
        throw Error(ErrorKind::Usage,
                    "--memory device with --tile: the processor joins the parts of several sources",
                    "leave out --memory");
    }
    if (options.upload == "pinned") {
        throw Error(ErrorKind::Usage, "--upload pinned with --memory device: no frame arrives in main memory",
                    "leave out one of them");
    }
}

ViewOptions ViewCommandLine::finish() const {
    ViewOptions options = options_;
    options.peers = StreamCommandLine::finish(options, false);
    finishStereo(options);
    finishStreams(options);
    finishTile(options);
    finishOutput(options);
    finishAlignment(options);
    if (options.headless && (!options.snapshot.empty() || options.fullscreen)) {
        throw Error(ErrorKind::Usage, "--snapshot and --fullscreen need a window; --headless has none",
                    "leave it out (without a display: xvfb-run verbcast view ...)");
    }
    if (options.headless && (options.kiosk || options.input)) {
        throw Error(ErrorKind::Usage, "--kiosk and --input need a window; --headless has none",
                    "leave it out (without a display: xvfb-run verbcast view ...)");
    }
    if (!layout_.empty()) {
        options.layout = layoutByName(layout_);
    }
    if (!panes_.empty()) {
        options.panes = parsePanes(panes_);
        if (options.layout != Layout::Free) {
            throw Error(ErrorKind::Usage, "--panes needs --layout free", "add --layout free");
        }
    }
    finishSync(options);
    finishDrm(options);
    finishMemory(options);
    if (options.headless && !layout_.empty()) {
        throw Error(ErrorKind::Usage, "--layout needs a window; --headless has none",
                    "leave one of them out");
    }
    if (options.headless && options.swapEyes) {
        throw Error(ErrorKind::Usage, "--swap-eyes needs a window; --headless has none",
                    "leave one of them out");
    }
    if (options.headless && !options.screen.empty()) {
        throw Error(ErrorKind::Usage, "--screen needs a window; --headless has none",
                    "leave one of them out");
    }
    if (options.kiosk && options.patience) {
        throw Error(ErrorKind::Usage, "--wait ends the program; --kiosk waits for its sender forever",
                    "leave one of them out");
    }
    if (!options.kiosk && !options.still.empty()) {
        throw Error(ErrorKind::Usage, "--still needs --kiosk", "add --kiosk");
    }
    return options;
}

ReceiverOptions receiverOptions(const ViewOptions& options, const StreamPeer& peer) {
    ReceiverOptions receiver = receiverOptions(static_cast<const StreamOptions&>(options), peer);
    receiver.endWithStream = options.headless;
    receiver.device = options.device;
    receiver.copiesToDevice = options.memory == PictureMemory::Device;
    if (options.tile) {
        receiver.region = options.tile->wish();
    }
    return receiver;
}

StreamAcceptorOptions acceptorOptions(const ViewOptions& options) {
    const ReceiverOptions receiver = receiverOptions(options, options.peers.front());
    return {.url = receiver.url,
            .maxStreams = options.streams,
            .stream = receiver,
            .trust = receiver.trust,
            .reconnect = receiver.reconnect};
}

std::string openingText(const ViewOptions& options, const StreamPeer& peer) {
    const bool ofSeveral = options.tile && options.tile->sources.size() > 1;
    return ofSeveral ? std::string() : connectingText(receiverOptions(options, peer));
}

std::unique_ptr<ViewedSource> openStream(const ViewOptions& options, const StreamPeer& peer,
                                         FrameLockListener* frameLock) {
    if (!options.tile || options.tile->sources.size() < 2) {
        ReceiverOptions receiver = receiverOptions(options, peer);
        receiver.frameLock = frameLock;
        if (!peer.session) {
            return std::make_unique<SenderStream>(receiver);
        }
        receiver.further.resize(options.peers.size() - 1, receiver);
        return std::make_unique<SenderStream>(peer.session->open(receiver), peer.track);
    }
    std::vector<ReceiverOptions> sources;
    for (const StreamPeer& source : options.tile->sources) {
        sources.push_back(receiverOptions(options, source));
    }
    if (const auto conductor = options.tile->conductor()) {
        sources.at(*conductor).frameLock = frameLock;
    }
    return std::make_unique<TileStream>(*options.tile, std::move(sources), options.slots);
}

}  // namespace verbcast

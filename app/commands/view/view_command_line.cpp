#include "app/commands/view/view_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>

#include "app/cli/stream_options.h"
#include "app/commands/view/layout_choice.h"
#include "app/view/words/alignment_words.h"
#include "app/view/words/upload_names.h"
#include "core/base/error.h"
#include "core/base/text/names_in.h"
#include "core/stream/shared_session.h"
#include "core/transport/registry.h"
#include "render/overlays/overlay_names.h"

namespace verbcast {
namespace {

/// Whether frames that the peer sends can arrive in a device's memory. An address without a scheme may lead
/// to one.
bool reachesDevices(const StreamPeer& peer) {
    const Transport* transport = findTransport(peer.url.scheme);
    return !peer.trust.encrypt && (transport == nullptr || transport->reachesDevices);
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
    throw Error(
        ErrorKind::Usage,
        fmt::format("--output {}: .nut, .mkv, .mov, .mp4, .y4m, .raw, .yuv, .rgb or .wav expected", path),
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

bool isLayout(const Layout& /*layout*/) {
    return true;
}

std::string overlayHelp() {
    std::string help = "Draw over the picture, from the picture (W in the window).";
    for (const OverlayName& known : kOverlayNames) {
        help += fmt::format("\n{}: {}", known.name, known.summary);
    }
    return help;
}

}  // namespace

ViewCommandLine::ViewCommandLine(Command& verbcast)
    : StreamCommandLine(verbcast, "view", "Receive a stream and show it in a window (or --headless)") {
    command().remarks.examples =
        "verbcast view                        the sender on this machine\n"
        "verbcast view verbs://render1:7423\n"
        "verbcast view --listen :7423 --fullscreen\n"
        "verbcast view --listen :7423 --streams 6\n"
        "verbcast view --layout free --panes \"1:0,0,100;2:60,55,35,80\" render1 render2\n"
        "verbcast view --kiosk --listen --still logo.png\n"
        "verbcast view --kiosk --wall wall.json --tile 1-2 render1\n"
        "verbcast view --kiosk render1 --drm HDMI-A-1\n"
        "verbcast view render1 --output take.nut\n"
        "verbcast view --headless render1 --output - | ffplay -\n"
        "verbcast view --headless render1 render2 --output take-%n.nut";
    command().formerly = {{"--sync", "--frame-lock on"}, {"--no-sync", "--frame-lock off"}};
    peer().add(
        list(),
        {"--from,URL",
         "Connect to the sender that listens there (default: localhost:7423); several: one stream from "
         "each, at most 64; URL,URL: one stream over several rails"},
        {"--listen", "Wait here for a sender (without a value: every address, port 7423)"}, true);
    list().add(option(section::kPeers, "--streams", "N",
                      "With --listen: accept this many senders, 1 to 64 (default: 1)"),
               streams_, countValue());
    addWindow();
    addSound();
    addSeveral();
    addDisplay();
    addRecording();
    addMemory();
    addSession(list(), options_, options_.receiver, options_.receiver.slots);
    addRest(options_);
}

void ViewCommandLine::addWindow() {
    list().add(flag(section::kWindow, "--headless", "No window: receive, count, and drop the frames"),
               options_.headless);
    list().add(flag(section::kWindow, "--fullscreen", "Start with the picture filling the screen"),
               options_.fullscreen);
    list().add(seldomOption(section::kWindow, "--screen", "N|NAME",
                            "The monitor to open the window on, by number (from 0) or name"),
               options_.screen);
    list().add(option(section::kWindow, "--overlay", "NAME[,NAME]", overlayHelp()), options_.overlays,
               listValue(wordValue(namesIn(kOverlayNames, &OverlayName::name))));
    list().add(flag(section::kWindow, "--input",
                    "Start with keys and mouse going to the sender, if it allows input"),
               options_.input);
    list().add(
        seldomOption(section::kWindow, "--snapshot", "FILE.png", "Save the last frame shown as PNG").file(),
        options_.snapshot);
}

void ViewCommandLine::addSound() {
    list().add(
        option(section::kSound, "--audio", "DEVICE",
               "Where to play the stream's sound: auto (the default device, if there is one; of a wall's "
               "displays only at the first), none, null (nowhere, in real time), or a device's name "
               "(verbcast devices)"),
        options_.audio);
    list().add(option(section::kSound, "--volume", "PERCENT",
                      "0 to 100; M mutes in the window, Up and Down change it"),
               options_.volume, decimalValue(0, 100));
    list().add(seldomFlag(section::kSound, "--mute", "Start without sound"), options_.muted);
    list().add(
        seldomOption(section::kSound, "--av-latency", "auto|MS",
                     "How long pictures wait, so that their sound has arrived and the device can play "
                     "it in time. auto: as long as this sound and this device turn out to need; pictures "
                     "without sound never wait"),
        options_.avLatency, decimalValueOr("auto", 0, 1000));
    list().add(seldomOption(section::kSound, "--av-offset", "MS",
                            "Hear sound that much after its picture, or before it with a minus: for speakers "
                            "or displays with a delay of their own"),
               options_.avOffset, decimalValue(-500, 500));
}

void ViewCommandLine::addSeveral() {
    list().add(option(section::kWindow, "--layout", "NAME",
                      layoutHelp("How several streams share the window.", isLayout)),
               layout_, layoutValue(isLayout));
    list().add(seldomOption(section::kWindow, "--panes", kPanesValue, kPanesHelp), options_.panes,
               panesValue());
    list().add(
        seldomFlag(section::kWindow, "--stereo",
                   "The stream is a stereo pair (verbcast send --stereo): show the right picture, too"),
        stereo_);
    list().add(seldomFlag(section::kWindow, "--swap-eyes",
                          "Stereo layouts: the first stream is the right eye's, not the left one's"),
               options_.swapEyes);
    list().add(seldomOption(section::kWindow, "--align", "newest|capture|pts", kAlignHelp)
                   .known({"newest", "capture", "pts"}),
               align_);
    list().add(seldomOption(section::kWindow, "--delay", "MS", kDelayHelp), delay_);
}

void ViewCommandLine::addDisplay() {
    list().add(
        flag(
            section::kDisplay, "--kiosk",
            "For an installation: nothing but the picture, on a whole monitor; waits for its sender forever"),
        options_.kiosk);
    list().add(seldomOption(section::kDisplay, "--still", "FILE",
                            "Kiosk: PNG or JPEG to show while there is no signal")
                   .file(),
               options_.still);
    list().add(
        seldomOption(
            section::kDisplay, "--drm", "[CONNECTOR]",
            "Kiosk without a desktop, on this connector of a graphics card (verbcast devices lists them; "
            "several: NAME,NAME; without a value: the first with a display)"),
        connectors_);
    list().add(seldomOption(section::kDisplay, "--mode", "WxH[@HZ]",
                            "With --drm: use this mode instead of the display's preferred one"),
               mode_);
    list().add(
        option(section::kDisplay, "--wall", "FILE",
               "With --tile: a wall's file (verbcast wall new); this viewer is one of its displays, and "
               "receives only that display's part of the picture")
            .file(),
        wall_);
    list().add(option(section::kDisplay, "--tile", "NAME",
                      "With --wall: the name of the display; with several connectors in --drm, one for each: "
                      "NAME,NAME"),
               tile_);
    list().add(
        seldomOption(
            section::kDisplay, "--frame-lock", "on|off",
            "Whether to show frames at the moment that the sender says (send --sync) or as they arrive "
            "(default: on with a screen, off with --headless, which has none but may take part)"),
        frameLock_, choiceValue<bool>({{"on", true}, {"off", false}}));
}

void ViewCommandLine::addRecording() {
    list().add(
        option(section::kRecording, "--output", "FILE",
               "Record every frame to this file (- for stdout; add --headless for no window); with several "
               "streams, %n in the name stands for the stream's number, as in --frame-md5")
            .file(),
        options_.output);
    list().add(seldomFlag(section::kRecording, "--force", "Replace an existing file at --output"), force_);
    list().add(
        seldomOption(
            section::kRecording, "--output-format", "NAME",
            "nut: with times, any pixel format (default); matroska: with the colours, too; mov and mp4: "
            "with --encoder; y4m: planar YUV and gray; rawvideo: only pixels; wav: only sound (default: by "
            "the name's ending, .nut, .mkv, .mov, .mp4, .y4m, .raw, .yuv, .rgb, .wav)"),
        container_, choiceValue(kContainers, &ContainerName::container, &ContainerName::name));
    list().add(option(section::kRecording, "--encoder", "NAME",
                      "Encode what is recorded with this encoder of FFmpeg's, after a comma its options: "
                      "libx264,preset=veryfast,crf=12 (default: every pixel as it is)"),
               options_.encoder);
    list().add(
        seldomOption(section::kRecording, "--audio-encoder", "NAME",
                     "Likewise for sound: aac,b=256k, flac, libopus, pcm_s24le (default: every sample as it "
                     "is, a 32-bit float)"),
        options_.soundEncoder);
}

void ViewCommandLine::addMemory() {
    list().add(
        seldomOption(
            section::kMachine, "--upload", "auto|direct|pbo|pinned",
            "How frames in main memory reach the GPU. direct: OpenGL's driver reads them; pbo: by way of a "
            "mapped pixel buffer; pinned: an NVIDIA GPU fetches them itself; auto: the fastest with the "
            "first "
            "frames"),
        options_.upload, wordValue(namesIn(kUploadNames, &UploadName::first)));
    options_.memory = PictureMemory::Auto;  // finishMemory() decides
    list().add(
        seldomOption(
            section::kMachine, "--memory", "WHERE",
            "Where frames arrive. host; device: in the memory of the NVIDIA GPU that shows them, where "
            "RDMA devices write them; auto: there, if nothing has to copy them there"),
        options_.memory,
        choiceValue<PictureMemory>({{"auto", PictureMemory::Auto},
                                    {"host", PictureMemory::Host},
                                    {"device", PictureMemory::Device}}));
    addGpu(list());
    addMaxMemory(options_.receiver.maxMemory);
}

void ViewCommandLine::finishStreams(ViewOptions& options) const {
    const bool listens = options.peers.front().listen && !stereo_;
    if (streams_ && !listens) {
        throw Error(ErrorKind::Usage, "--streams needs --listen",
                    "add --listen, or leave out --streams: of several URLs each is a stream");
    }
    const std::uint64_t streams = streams_.value_or(options.peers.size());
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
    if (options.peers.size() > 1 || streams_) {
        throw Error(ErrorKind::Usage, "--stereo with several streams: a stereo pair is one",
                    "leave out --stereo: each stream is one eye's then, as with --layout anaglyph");
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
        for (const auto& [option, value] : {std::pair{"--output-format", container_.has_value()},
                                            std::pair{"--encoder", !options.encoder.empty()},
                                            std::pair{"--audio-encoder", !options.soundEncoder.empty()}}) {
            if (value) {
                throw Error(ErrorKind::Usage, fmt::format("{} needs --output", option), "add --output FILE");
            }
        }
        return;
    }
    options.existing = force_ ? Existing::Replaced : Existing::Refused;
    options.container = container_ ? *container_ : containerOf(options.output);
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
    if (options.memory == PictureMemory::Auto) {
        const bool processorReads =
            options.headless || joined || !options.frameMd5.empty() || !options.output.empty();
        if (processorReads || options.upload != "auto" ||
            std::ranges::none_of(peersOf(options), reachesDevices)) {
            options.memory = PictureMemory::Host;
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
    options.peers = StreamCommandLine::finish(false);
    options.receiver.reconnect = options.peers.front().reconnect;
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
    options.layout = layout_.value_or(options.layout);
    if (!options.panes.empty() && options.layout->way != LayoutWay::Free) {
        throw Error(ErrorKind::Usage, "--panes needs --layout free", "add --layout free");
    }
    finishSync(options);
    finishDrm(options);
    finishMemory(options);
    if (options.headless && layout_) {
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
    if (options.headless && !options.overlays.empty()) {
        throw Error(ErrorKind::Usage, "--overlay needs a window; --headless has none",
                    "leave one of them out");
    }
    if (!options.kiosk && !options.still.empty()) {
        throw Error(ErrorKind::Usage, "--still needs --kiosk", "add --kiosk");
    }
    return options;
}

}  // namespace verbcast

#include "app/send/send_command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>

#include "app/cli/option_values.h"
#include "app/send/decoder_name.h"
#include "app/wall/wall_file.h"
#include "core/base/clean_text.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxSentStreams = 64;

std::string sceneList(const char* separator, bool summaries) {
    std::string list;
    for (const SceneName& scene : kSceneNames) {
        list += (list.empty() ? "" : separator) + std::string(scene.name);
        list += summaries ? fmt::format(": {}", scene.summary) : "";
    }
    return list;
}

/// Parses "2/3".
std::pair<std::uint32_t, std::uint32_t> parsePart(const std::string& text) {
    constexpr std::uint32_t kMaxParts = 64;
    std::uint32_t index = 0, count = 0;
    const char* const end = text.data() + text.size();
    const auto [slash, first] = std::from_chars(text.data(), end, index);
    if (first == std::errc{} && slash != end && *slash == '/') {
        const auto [rest, second] = std::from_chars(slash + 1, end, count);
        if (second == std::errc{} && rest == end && index >= 1 && index <= count && count <= kMaxParts) {
            return {index, count};
        }
    }
    throw Error(ErrorKind::Usage,
                fmt::format("--part {}: I/N expected, part I of N, up to {} of them", text, kMaxParts),
                "for example --part 2/3");
}

}  // namespace

SendCommandLine::SendCommandLine(CLI::App& app)
    : SendingCommandLine(app, "send", "Send a file, a pattern, a camera, a screen or standard input") {
    command().footer(
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast send clip.mp4\n  verbcast send pattern:zone --size 3840x2160 --fps 60 --to "
        "verbs://wall:7423\n  verbcast send v4l2:/dev/video0 v4l2:/dev/video2 --name left --name right\n  "
        "ffmpeg -i clip.mp4 -f nut -c:v rawvideo - | verbcast send -\n" +
        kFramesHelp + kExitCodeHelp);
    command()
        .add_option(
            "SOURCE", options_.sources,
            "A media file, pattern[:bars|gradient|noise|zone|counter], a camera (v4l2[:/dev/videoN]), "
            "screen[:monitor=NAME|window=ID|rect=WxH+X+Y|x11|portal], or - for standard input: NUT, y4m and "
            "other formats with a header, or raw frames with --size and --format. Several: one stream from "
            "each, on successive ports from that of --listen, or all to --to")
        ->required()
        ->type_name("");
    addViewers(options_);
    command()
        .add_option("--name", options_.names,
                    "Name of the stream, as viewers see it (default: the host's); with several sources, once "
                    "per source")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME");
    command()
        .add_option("--format", format_,
                    "Pixel format to send (see verbcast formats; default: the source's own)")
        ->type_name("NAME");
    command().add_option("--size", size_, "Size to send")->type_name("WxH");
    addFps("Frames per second, 'source', or 'max' for as fast as possible", "N|source|max", "source");
    command().add_flag("--loop", options_.loop, "Repeat the file");
    command()
        .add_option("--start", start_, "Begin a file there: seconds or [hours:]minutes:seconds (also -ss)")
        ->type_name("TIME");
    command().add_option("-t,--length", length_, "Send only this much of a file")->type_name("TIME");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default for patterns, cameras, screens);\n"
        "lossless: wait for the slowest viewer (default for files and stdin)");
    addChanges();
    command().add_flag("--allow-input", options_.allowInput,
                       "Let viewers use the keyboard and mouse of this screen");
    command()
        .add_option("--threads", options_.decoderThreads, "Decoder threads (default: one per processor)")
        ->type_name("N");
    command()
        .add_option(
            "--camera-memory", cameraMemory_,
            "Where a camera's pictures lie: ring (the device writes into the stream's ring), dmabuf (in "
            "its driver's memory, which viewers on this machine read there), copy (copied into the "
            "ring); auto: the first of them that the driver can")
        ->capture_default_str()
        ->check(CLI::IsMember({"auto", "ring", "dmabuf", "copy"}));
    command()
        .add_option("--decoder", decoder_,
                    "What decodes files: auto (hardware where it decodes the file, else the processors),\n"
                    "software, vaapi, cuda, vulkan; verbcast devices lists what this machine has")
        ->capture_default_str()
        ->type_name("NAME");
    addWatch();
    command().add_flag(
        "--control", options_.control,
        "Control a file by lines on standard input: pause, play, seek SECONDS, step 1, step -1");
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
    if (!start_.empty()) {
        options.start = parseTime("--start", start_);
    }
    if (!length_.empty()) {
        options.length = parseTime("--length", length_);
    }
    options.cameraMemory = cameraMemory_ == "ring"     ? CameraMemoryChoice::Ring
                           : cameraMemory_ == "dmabuf" ? CameraMemoryChoice::DmaBuf
                           : cameraMemory_ == "copy"   ? CameraMemoryChoice::Copy
                                                       : CameraMemoryChoice::Best;
    options.decoder = parseDecoder(decoder_);
    checkSeveral(options);
    if (options.control && options.sources.front() == "-") {
        throw Error(ErrorKind::Usage, "--control reads standard input, and so does the source -",
                    "name a file");
    }
    if (options.decoderThreads < 0 || options.decoderThreads > 64) {
        throw Error(ErrorKind::Usage, fmt::format("--threads {}: 0 to 64 expected", options.decoderThreads));
    }
    return options;
}

void SendCommandLine::checkSeveral(const SendOptions& options) const {
    const std::size_t count = options.sources.size();
    if (count > kMaxSentStreams) {
        throw Error(ErrorKind::Usage,
                    fmt::format("verbcast send: {} given, at most {} expected", counted(count, "source"),
                                kMaxSentStreams),
                    "start a second sender for the rest");
    }
    if (!options.names.empty() && options.names.size() != count) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--name: {} given for {}", counted(options.names.size(), "name"),
                                counted(count, "source")),
                    "give one for each source, in the same order: --name left --name right");
    }
    if (count == 1) {
        return;
    }
    if (std::ranges::count(options.sources, "-") > 1) {
        throw Error(ErrorKind::Usage, "standard input is one source: - is given more than once",
                    "name files or pipes");
    }
    for (const auto& [given, option] :
         {std::pair{options.preview.has_value(), "--preview"},
          std::pair{options.statsDescriptor >= 0, "--stats-fd"}, std::pair{options.control, "--control"},
          std::pair{options.multicast.has_value(), "--multicast"}}) {
        if (given) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with {} sources: it is for one stream", option, count),
                        fmt::format("leave {} out, or start a sender for each source", option));
        }
    }
    if (!options.frameMd5.empty() && options.frameMd5.find(kStreamMark) == std::string::npos) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--frame-md5 {}: {} streams need a file each: %n, for a stream's number, expected "
                        "in the name",
                        options.frameMd5, count),
            "for example --frame-md5 md5-%n");
    }
    const bool ascending = options.listen && !options.url.isName() && options.url.port != 0;
    if (ascending && options.url.port + count - 1 > UINT16_MAX) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--listen {}: {} streams need as many ports from {} on, and the last one is {}",
                        options.url.text(), count, options.url.port, UINT16_MAX),
            "give a lower port");
    }
}

RenderCommandLine::RenderCommandLine(CLI::App& app)
    : SendingCommandLine(app, "render", "Render a 3D scene off-screen and send it") {
    options_.scene = kSceneNames.front().name;
    command().footer("Scenes:\n  " + sceneList("\n  ", true) + "\n" + kAddressHelp +
                     "\nExamples:\n  verbcast render --allow-input\n  verbcast render --scene swarm --size "
                     "3840x2160 --to verbs://wall:7423\n  verbcast render --part 2/3 --listen :7002\n  "
                     "verbcast render --wall wall.json --source part-1-2\n" +
                     kFramesHelp + kExitCodeHelp);
    command()
        .add_option("--scene", options_.scene, "What to render: " + sceneList(", ", false))
        ->capture_default_str()
        ->type_name("NAME");
    addViewers(options_);
    command().add_option("--size", size_, "Size to render (default: 1920x1080)")->type_name("WxH");
    command()
        .add_option(
            "--wall", wall_,
            "With --source: a wall's file (verbcast wall new --sources); draws the source's part of its\n"
            "picture, timed by the host's clock, and listens at the source's URL")
        ->type_name("FILE");
    command().add_option("--source", source_, "With --wall: the name of the source")->type_name("NAME");
    command()
        .add_option("--part", part_,
                    "Draw only one of N equal shares of the scene, and send depths with it, for verbcast\n"
                    "compose to merge; all parts are timed by their hosts' clocks")
        ->type_name("I/N");
    command()
        .add_option("--eye", options_.eye,
                    "Draw this eye's view: two of these make a stereo pair, timed by their hosts' clocks\n"
                    "(verbcast view LEFT RIGHT --align pts --layout anaglyph)")
        ->check(CLI::IsMember({"left", "right"}))
        ->type_name("left|right");
    addMemory();
    addFps("Frames per second, or 'max' for as fast as possible", "N|max", "60");
    command().add_flag(
        "--allow-input", options_.allowInput,
        "Viewers control the camera: drag (or touch) and arrow keys turn it, the wheel zooms,\n"
        "Space pauses, R resets");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default);\n"
        "lossless: wait for the slowest viewer");
    addChanges();
    addWatch();
    addRest(options_);
}

void RenderCommandLine::finishSource(RenderOptions& options) const {
    if (wall_.empty() && source_.empty()) {
        return;
    }
    if (wall_.empty() || source_.empty()) {
        throw Error(ErrorKind::Usage,
                    wall_.empty() ? "--source needs --wall, the file that describes it"
                                  : "--wall needs --source, the name of one of its sources",
                    wall_.empty() ? "add --wall FILE" : "verbcast wall check " + wall_ + " lists them");
    }
    for (const auto& [option, given] : {std::pair{"--size", !size_.empty()}, {"--part", !part_.empty()}}) {
        if (given) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with --source: the wall's file says what is drawn", option),
                        fmt::format("leave out {}", option));
        }
    }
    if (options.pacing == Pacing::Max) {
        throw Error(ErrorKind::Usage, "--source with --fps max: parts of one picture have a rate in common",
                    "give all sources the same number, for example --fps 60");
    }
    options.wall = readWall(wall_);
    const WallSource* source = options.wall->findSource(source_);
    if (source == nullptr) {
        std::vector<std::string> names;
        for (const WallSource& each : options.wall->sources) {
            names.push_back(each.name);
        }
        throw Error(ErrorKind::Usage,
                    fmt::format("--source {}: no source of {} has that name", cleanText(source_, 80), wall_),
                    names.empty() ? "it has none: add \"sources\" to the file (verbcast wall new --sources)"
                                  : fmt::format("its sources are {}", fmt::join(names, ", ")));
    }
    options.place = source->rectangle;
    options.width = source->rectangle.width;
    options.height = source->rectangle.height;
    if (!peerGiven() && !source->url.empty()) {
        Url url = parseUrl(source->url);
        url.host.clear();  // listen on this host
        static_cast<StreamPeer&>(options) = peerAt({url, true});
    }
}

RenderOptions RenderCommandLine::finish() const {
    RenderOptions options = options_;
    if (!isSceneName(options.scene)) {
        throw Error(ErrorKind::Usage, fmt::format("--scene {}: there is no such scene", options.scene),
                    "scenes are: " + sceneList(", ", false));
    }
    if (!size_.empty()) {
        parseSize(size_, options.width, options.height);
    }
    if (fps() == "source") {
        throw Error(ErrorKind::Usage, "--fps source: a scene has no rate of its own",
                    "give a number, for example --fps 60, or --fps max");
    }
    SendingCommandLine::finish(options);
    if (!part_.empty()) {
        options.part = parsePart(part_);
        if (options.pacing == Pacing::Max) {
            throw Error(ErrorKind::Usage, "--part with --fps max: parts of one picture have a rate in common",
                        "give all parts the same number, for example --fps 60");
        }
    }
    finishSource(options);
    if (options.inGpuMemory && options.part) {
        throw Error(ErrorKind::Usage, "--part with --memory device: depths are read back",
                    "leave one of the two out");
    }
    if (!options.eye.empty() && options.pacing == Pacing::Max) {
        throw Error(ErrorKind::Usage, "--eye with --fps max: pictures for two eyes have a rate in common",
                    "give both the same number, for example --fps 60");
    }
    return options;
}

RelayCommandLine::RelayCommandLine(CLI::App& app)
    : SendingCommandLine(app, "relay", "Forward a stream from one connection to another") {
    command().footer(
        "Frames are sent from the memory in which they arrived. Viewers' input is not forwarded.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast relay verbs://render1 --listen tcp://:7000\n  verbcast relay --from-listen "
        "--to wall\n" +
        kFramesHelp + kExitCodeHelp);
    from_.takeRails();
    from_.add(command(),
              {"--from,URL", "Connect to the sender that listens there; URL,URL: over several rails"},
              {"--from-listen", "Wait here for the sender (without a value: every address, port 7423)"});
    addViewers(options_);
    addPolicy(
        "lossless: wait for the slowest viewer; the sender's own policy decides (default);\n"
        "latest: drop frames that a viewer is too slow for");
    addMaxMemory();
    addRest(options_);
}

RelayOptions RelayCommandLine::finish() const {
    RelayOptions options = options_;
    if (!from_.given()) {
        throw Error(ErrorKind::Usage, "verbcast relay: where the stream comes from is missing",
                    "give --from URL to connect to the sender, or --from-listen to wait for it");
    }
    const PeerAddress from = from_.finish(false);
    SendingCommandLine::finish(options, from.listen, !from.listen);
    options.from = peerAt(from, options.listen);
    return options;
}

ComposeCommandLine::ComposeCommandLine(CLI::App& app)
    : SendingCommandLine(app, "compose", "Merge partial renderings, and send the whole picture") {
    command().footer(
        "Frames with equal time stamps are merged. Parts have the same size and rate. By depth, the nearest\n"
        "part is kept at each pixel: render --part sends depths, and so does another compose with "
        "--keep-depth.\n"
        "By order, the first URL is in front, and the others show through it: parts are rgba or bgra, with\n"
        "premultiplied alpha.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast compose verbs://render1 verbs://render2 verbs://render3 --to wall\n"
        "  verbcast render --part 1/2 --listen :7001 & verbcast render --part 2/2 --listen :7002 &\n"
        "  verbcast compose localhost:7001 localhost:7002\n"
        "  verbcast compose --by order front:7001 middle:7001 back:7001\n" +
        kFramesHelp + kExitCodeHelp);
    command()
        .add_option("URL", parts_, "Connect to the senders that listen there, 2 to 64")
        ->required()
        ->type_name("");
    addViewers(options_);
    command()
        .add_option("--by", by_,
                    "depth: keep the nearest part at each pixel;\n"
                    "order: stack the parts by their alpha, the first in front")
        ->capture_default_str()
        ->type_name("depth|order");
    command().add_flag("--keep-depth", options_.keepDepth,
                       "Also send the merged depths, for another compose");
    command().add_flag("--allow-input", options_.allowInput,
                       "Forward viewers' input to every part that accepts it (render --part --allow-input)");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default);\n"
        "lossless: wait for the slowest viewer");
    addChanges();
    addMaxMemory();
    addRest(options_);
}

ComposeOptions ComposeCommandLine::finish() const {
    constexpr std::size_t kMaxParts = 64;
    ComposeOptions options = options_;
    if (parts_.size() < 2 || parts_.size() > kMaxParts) {
        throw Error(ErrorKind::Usage, fmt::format("verbcast compose: {} given, 2 to {} parts expected",
                                                  counted(parts_.size(), "part"), kMaxParts));
    }
    if (by_ != "depth" && by_ != "order") {
        throw Error(ErrorKind::Usage, fmt::format("--by {}: depth or order expected", by_));
    }
    options.by = by_ == "order" ? MergeBy::Order : MergeBy::Depth;
    if (options.by == MergeBy::Order && options.keepDepth) {
        throw Error(ErrorKind::Usage, "--keep-depth with --by order: what is merged by alpha has no depth",
                    "leave out one of them");
    }
    SendingCommandLine::finish(options);
    for (const std::string& part : parts_) {
        const Url url = parseUrl(part);
        options.parts.push_back(
            {url, false, trustFor(options.listen ? trust().of(false) : trust(), false, url)});
    }
    return options;
}

}  // namespace verbcast

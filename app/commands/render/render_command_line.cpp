#include "app/commands/render/render_command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/wall/wall_file.h"
#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/names_in.h"
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

using Part = std::pair<std::uint32_t, std::uint32_t>;

/// "2/3"
Part parsePart(const std::string& name, const std::string& text) {
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
                fmt::format("{} {}: I/N expected, part I of N, up to {} of them", name, text, kMaxParts),
                fmt::format("for example {} 2/3", name));
}

Value<Part> partValue() {
    return {parsePart, [](const Part& part) { return fmt::format("{}/{}", part.first, part.second); }};
}

}  // namespace

RenderCommandLine::RenderCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "render", "Render a 3D scene off-screen and send it") {
    options_.scene = kSceneNames.front().name;
    command().remarks.lists = "Scenes:\n  " + sceneList("\n  ", true);
    command().remarks.examples =
        "verbcast render --allow-input\n"
        "verbcast render --scene swarm --size 3840x2160 --to verbs://wall:7423\n"
        "verbcast render --part 2/3 --listen :7002\n"
        "verbcast render --wall wall.json --source part-1-2";
    addPictures();
    addPeers();
    addSending(list(), options_);
    addPreview(list(), options_.sender);
    addAllowInput(list(), options_,
                  "Viewers control the camera: drag (or touch) and arrow keys turn it, the wheel zooms, "
                  "Space pauses, R "
                  "resets");
    addPolicy(
        list(), options_,
        "latest: drop frames that a viewer is too slow for (default); lossless: wait for the slowest viewer");
    options_.memory = PictureMemory::Auto;
    addMemory(list(), options_, {"auto", "host", "device", "dmabuf"},
              "Where frames are kept. host: read back from the GPU; device: in the memory of the NVIDIA GPU "
              "that draws "
              "them, from where RDMA devices send them and viewers on that GPU show them; dmabuf: in buffers "
              "of the "
              "graphics card of any maker that draws them, which viewers on this machine read where they "
              "lie; auto: "
              "device, unless an option needs the processor");
    addGpu(list());
    addSession(list(), options_, options_.sender, options_.sender.slots);
    addRest(options_);
}

void RenderCommandLine::addPictures() {
    list().add(option(section::kPicture, "--scene", "NAME", "What to render: " + sceneList(", ", false)),
               options_.scene, wordValue(namesIn(kSceneNames, &SceneName::name)));
    list().add(option(section::kPicture, "--size", "WxH", "Size to render"), options_.size, sizeValue());
    options_.pacing = Pacing::Rate;
    options_.rate = {60, 1};
    addFps(list(), options_, "N|max", "Frames per second, or max for as fast as possible");
    list().add(
        option(section::kPicture, "--wall", "FILE",
               "With --source: a wall's file (verbcast wall new --sources); draws the source's part of its "
               "picture, timed by the host's clock, and listens at the source's URL")
            .file(),
        wall_);
    list().add(option(section::kPicture, "--source", "NAME", "With --wall: the name of the source"), source_);
    list().add(
        option(section::kPicture, "--part", "I/N",
               "Draw only one of N equal shares of the scene, and send depths with it, for verbcast compose "
               "to merge; all parts are timed by their hosts' clocks"),
        options_.part, partValue());
    list().add(
        option(
            section::kPicture, "--eye", "left|right",
            "Draw this eye's view: two of these make a stereo pair, timed by their hosts' clocks (verbcast "
            "view LEFT RIGHT --align pts --layout anaglyph)"),
        options_.eye, wordValue({"left", "right"}));
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
    for (const auto& [option, given] :
         {std::pair{"--size", given("--size")}, {"--part", options.part.has_value()}}) {
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
        const std::vector<std::string> names = namesIn(options.wall->sources, &WallSource::name);
        throw Error(ErrorKind::Usage,
                    fmt::format("--source {}: no source of {} has that name", cleanText(source_, 80), wall_),
                    names.empty() ? "it has none: add \"sources\" to the file (verbcast wall new --sources)"
                                  : fmt::format("its sources are {}", fmt::join(names, ", ")));
    }
    options.place = source->rectangle;
    options.size = {source->rectangle.width, source->rectangle.height};
    if (!peerGiven() && !source->url.empty()) {
        Url url = parseUrl(source->url);
        url.host.clear();  // listen on this host
        static_cast<SessionAddress&>(options.sender) = peerAt({url, true});
    }
}

RenderOptions RenderCommandLine::finish() const {
    RenderOptions options = options_;
    SendingCommandLine::finish(options);
    if (options.part) {
        if (options.pacing == Pacing::Max) {
            throw Error(ErrorKind::Usage, "--part with --fps max: parts of one picture have a rate in common",
                        "give all parts the same number, for example --fps 60");
        }
    }
    finishSource(options);
    if (options.part) {
        keepInHost(options, "depths are read back");
    }
    if (options.memory != PictureMemory::Host && options.part) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--part with --memory {}: depths are read back", memoryText()),
                    "leave one of the two out");
    }
    if (!options.eye.empty() && options.pacing == Pacing::Max) {
        throw Error(ErrorKind::Usage, "--eye with --fps max: pictures for two eyes have a rate in common",
                    "give both the same number, for example --fps 60");
    }
    settleMemory(options);
    return options;
}

}  // namespace verbcast

#include "app/render/render_command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/cli/gpu_option.h"
#include "app/cli/option_values.h"
#include "app/wall/wall_file.h"
#include "core/base/error.h"
#include "core/base/text/clean_text.h"
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
    addMemory({"auto", "host", "device", "dmabuf"},
              "Where frames are kept: host, read back from the GPU; device, in the memory of the NVIDIA\n"
              "GPU that draws them, from where RDMA devices send them and viewers on that GPU show them;\n"
              "dmabuf, in buffers of the graphics card of any maker that draws them, which viewers on\n"
              "this machine read where they lie; auto: device, unless an option needs the processor");
    addGpu(command());
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
    if (options.part) {
        keepInHost(options, "depths are read back");
    }
    if (options.memory != PictureMemory::Host && options.part) {
        throw Error(ErrorKind::Usage, fmt::format("--part with --memory {}: depths are read back", memory()),
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

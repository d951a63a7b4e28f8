#include "app/wall/wall_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/wall/new_wall.h"
#include "app/wall/tile_region.h"
#include "app/wall/wall_drawing.h"
#include "app/wall/wall_file.h"
#include "app/wall/wall_findings.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

int run(const NewWallOptions& options) {
    const Wall wall = newWall(options);
    if (options.output.empty() || options.output == "-") {
        writeToStdout(wallText(wall));
        return 0;
    }
    std::error_code ignored;
    if (!options.force && std::filesystem::exists(options.output, ignored)) {
        throw Error(ErrorKind::Usage, fmt::format("{} exists", options.output),
                    "name another file, or add --force to replace it");
    }
    writeWhole(options.output, wallText(wall));
    printToStdout(
        "A wall of {} for pictures of {}x{} is in {}. Show one with\n  verbcast view --wall {} --tile {}\n",
        counted(wall.displays.size(), "display"), wall.width, wall.height, options.output, options.output,
        wall.displays.front().name);
    return 0;
}

std::string blendText(const EdgeBlend& blend) {
    std::string text;
    for (const auto& [side, pixels] : {std::pair{"left", blend.left},
                                       {"right", blend.right},
                                       {"top", blend.top},
                                       {"bottom", blend.bottom}}) {
        text += pixels > 0 ? fmt::format("{}{} {}", text.empty() ? "" : ", ", side, pixels) : "";
    }
    return text.empty() ? "-" : text;
}

template <typename Part>
std::size_t widestName(const std::vector<Part>& parts, std::size_t least) {
    for (const Part& part : parts) {
        least = std::max(least, part.name.size());
    }
    return least;
}

/// The columns NAME, AT and SIZE.
template <typename Part>
std::string placed(const Part& part, std::size_t widest) {
    const FrameRect& rect = part.rectangle;
    return fmt::format("{:<{}}  {:>13}  {:>11}", part.name, widest, fmt::format("{},{}", rect.x, rect.y),
                       fmt::format("{}x{}", rect.width, rect.height));
}

void listDisplays(const Wall& wall) {
    const std::size_t widest = widestName(wall.displays, 4);
    printToStdout("{:<{}}  {:>13}  {:>11}  {:>6}  {:<6}  {:<6}  {}\n", "NAME", widest, "AT", "SIZE", "TURNED",
                  "CORNER", "COLOUR", "BLENDS");
    for (const WallDisplay& display : wall.displays) {
        printToStdout("{}  {:>6}  {:<6}  {:<6}  {}\n", placed(display, widest), display.rotation,
                      display.warps() ? "warped" : "-", display.colour == DisplayColour{} ? "-" : "own",
                      blendText(display.blend));
    }
}

/// Names of the displays that show part of a source's pictures.
std::string shownBy(const Wall& wall, const WallSource& source) {
    std::vector<std::string> names;
    for (const WallDisplay& display : wall.displays) {
        if (!commonPart(display.rectangle, source.rectangle).isEmpty()) {
            names.push_back(display.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

void listSources(const Wall& wall) {
    const std::size_t widest = widestName(wall.sources, 6);
    printToStdout("\n{:<{}}  {:>13}  {:>11}  {:<24}  {}\n", "SOURCE", widest, "AT", "SIZE", "LISTENS AT",
                  "SHOWN BY");
    for (const WallSource& source : wall.sources) {
        printToStdout("{}  {:<24}  {}\n", placed(source, widest), source.url.empty() ? "-" : source.url,
                      shownBy(wall, source));
    }
    if (!wall.conductor.empty()) {
        printToStdout("{} conducts: with its --sync all displays show together.\n", wall.conductor);
    }
}

/// Before the audience sees it.
void sayHowShown(const Wall& wall, std::uint32_t width, std::uint32_t height) {
    if (!wall.sources.empty()) {
        printToStdout("The wall has sources: the pictures of each must have exactly its size.\n");
        return;
    }
    const std::string text = fitText(wall, width, height);
    printToStdout("{}\n", text.empty()
                              ? fmt::format("the picture has {}x{} pixels: shown as it is", width, height)
                              : text);
    for (const WallDisplay& display : wall.displays) {
        const TileArea area = tileArea(wall, display, width, height);
        const FrameRect part = area.inPicture(width, height);
        if (part.isEmpty()) {
            printToStdout("  {}: black\n", display.name);
        } else if (part.width != area.width || part.height != area.height) {
            printToStdout("  {}: {}x{} of the picture's pixels, the rest black\n", display.name, part.width,
                          part.height);
        }
    }
}

int run(const CheckWallOptions& options) {
    const ParsedWall parsed = parseWall(readWallText(options.file));
    if (!parsed.wall.displays.empty()) {
        listDisplays(parsed.wall);
    }
    if (!parsed.wall.sources.empty()) {
        listSources(parsed.wall);
    }
    if (!parsed.findings.empty()) {
        printToStdout("\n{} in {}:\n", counted(parsed.findings.size(), "problem"), options.file);
        for (const std::string& finding : parsed.findings) {
            printToStdout("  {}\n", finding);
        }
        return static_cast<int>(ErrorKind::Input);
    }
    const Wall& wall = parsed.wall;
    const double hidden = hiddenPercent(wall);
    printToStdout("\n{} of a picture of {}x{}{}. No problems.\n", counted(wall.displays.size(), "display"),
                  wall.width, wall.height,
                  hidden > 0 ? fmt::format(", {:.3g} % of which is between or beside them", hidden) : "");
    if (options.picture) {
        sayHowShown(wall, options.picture->width, options.picture->height);
    } else if (wall.sources.empty()) {
        printToStdout("Pictures of another aspect ratio: {}. --picture WxH says what becomes of yours.\n",
                      nameOf(wall.fit));
    }
    return 0;
}

int run(const ShowWallOptions& options) {
    writeWhole(options.output.empty() ? "-" : options.output, wallDrawing(readWall(options.file)));
    return 0;
}

}  // namespace

int runWall(const WallOptions& options) {
    return std::visit([](const auto& chosen) { return run(chosen); }, options);
}

}  // namespace verbcast

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

int makeWall(const NewWallOptions& options) {
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

void listDisplays(const Wall& wall) {
    std::size_t widest = 4;
    for (const WallDisplay& display : wall.displays) {
        widest = std::max(widest, display.name.size());
    }
    printToStdout("{:<{}}  {:>13}  {:>11}  {:>6}  {:<6}  {:<6}  {}\n", "NAME", widest, "AT", "SIZE", "TURNED",
                  "CORNER", "COLOUR", "BLENDS");
    for (const WallDisplay& display : wall.displays) {
        const FrameRect& rect = display.rectangle;
        printToStdout("{:<{}}  {:>13}  {:>11}  {:>6}  {:<6}  {:<6}  {}\n", display.name, widest,
                      fmt::format("{},{}", rect.x, rect.y), fmt::format("{}x{}", rect.width, rect.height),
                      fmt::format("{}", display.rotation), display.warps() ? "warped" : "-",
                      display.colour == DisplayColour{} ? "-" : "own", blendText(display.blend));
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
    std::size_t widest = 6;
    for (const WallSource& source : wall.sources) {
        widest = std::max(widest, source.name.size());
    }
    printToStdout("\n{:<{}}  {:>13}  {:>11}  {:<24}  {}\n", "SOURCE", widest, "AT", "SIZE", "LISTENS AT",
                  "SHOWN BY");
    for (const WallSource& source : wall.sources) {
        const FrameRect& rect = source.rectangle;
        printToStdout("{:<{}}  {:>13}  {:>11}  {:<24}  {}\n", source.name, widest,
                      fmt::format("{},{}", rect.x, rect.y), fmt::format("{}x{}", rect.width, rect.height),
                      source.url.empty() ? "-" : source.url, shownBy(wall, source));
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

int checkWall(const CheckWallOptions& options) {
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
    if (options.pictureWidth != 0) {
        sayHowShown(wall, options.pictureWidth, options.pictureHeight);
    } else if (wall.sources.empty()) {
        printToStdout("Pictures of another aspect ratio: {}. --picture WxH says what becomes of yours.\n",
                      nameOf(wall.fit));
    }
    return 0;
}

int showWall(const ShowWallOptions& options) {
    writeWhole(options.output.empty() ? "-" : options.output, wallDrawing(readWall(options.file)));
    return 0;
}

struct WallRunner {
    int operator()(const NewWallOptions& options) const { return makeWall(options); }
    int operator()(const CheckWallOptions& options) const { return checkWall(options); }
    int operator()(const ShowWallOptions& options) const { return showWall(options); }
};

}  // namespace

int runWall(const WallOptions& options) {
    return std::visit(WallRunner{}, options);
}

}  // namespace verbcast

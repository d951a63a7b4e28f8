#include "app/wall/new_wall.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

/// Where displays begin along one axis, and the total length.
struct Axis {
    std::uint32_t count, pixels, gap, overlap;

    std::uint32_t begin(std::uint32_t index) const { return index * (pixels + gap - overlap); }
    std::uint64_t length() const {
        return std::uint64_t{count - 1} * (pixels + gap - overlap) + pixels;  // overlap <= pixels / 2
    }
    std::uint32_t blendBefore(std::uint32_t index) const { return index > 0 ? overlap : 0; }
    std::uint32_t blendAfter(std::uint32_t index) const { return index + 1 < count ? overlap : 0; }
};

void requireRoom(const Axis& axis, const char* side) {
    if (axis.overlap > axis.pixels / 2) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--overlap {}: at most half of a display's {} of {} pixels expected",
                                axis.overlap, side, axis.pixels));
    }
}

/// Where part `index` of `count` begins: at a multiple of 16, where all formats except v210 can be cut.
std::uint32_t partEdge(std::uint32_t pixels, std::uint32_t index, std::uint32_t count) {
    return index == count ? pixels : static_cast<std::uint32_t>(std::uint64_t{pixels} * index / count) & ~15U;
}

void addSources(const NewWallOptions& options, Wall& wall) {
    const std::uint32_t columns = options.sourceColumns, rows = options.sourceRows;
    if (std::uint64_t{columns} * rows > kMaxSources || wall.width / columns < 2 * kMinDimension ||
        wall.height / rows < 2 * kMinDimension) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--sources {}x{}: at most {} sources expected, of at least {} pixels each way",
                        columns, rows, kMaxSources, 2 * kMinDimension));
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint32_t left = partEdge(wall.width, column, columns);
            const std::uint32_t top = partEdge(wall.height, row, rows);
            wall.sources.push_back(
                {.name = fmt::format("part-{}-{}", row + 1, column + 1),
                 .rectangle = frameRect(left, top, partEdge(wall.width, column + 1, columns) - left,
                                        partEdge(wall.height, row + 1, rows) - top),
                 .url = {}});
        }
    }
}

}  // namespace

Wall newWall(const NewWallOptions& options) {
    const bool turned = options.rotation % 180 != 0;
    const Axis x{options.columns, turned ? options.screenHeight : options.screenWidth, options.gapX,
                 options.overlapX};
    const Axis y{options.rows, turned ? options.screenWidth : options.screenHeight, options.gapY,
                 options.overlapY};
    if (std::uint64_t{x.count} * y.count > kMaxDisplays) {
        throw Error(ErrorKind::Usage, fmt::format("{}x{} are {} displays: at most {} expected", x.count,
                                                  y.count, std::uint64_t{x.count} * y.count, kMaxDisplays));
    }
    requireRoom(x, "width");
    requireRoom(y, "height");
    if (x.length() > kMaxDimension || y.length() > kMaxDimension) {
        throw Error(ErrorKind::Usage,
                    fmt::format("the picture of this wall would have {}x{} pixels: at most {}x{} expected",
                                x.length(), y.length(), kMaxDimension, kMaxDimension),
                    "give displays fewer pixels of the picture with --size; they enlarge it");
    }
    Wall wall;
    wall.width = static_cast<std::uint32_t>(x.length());
    wall.height = static_cast<std::uint32_t>(y.length());
    wall.fit = options.fit;
    wall.gaps = (x.gap > 0 && x.count > 1) || (y.gap > 0 && y.count > 1);
    for (std::uint32_t row = 0; row < y.count; ++row) {
        for (std::uint32_t column = 0; column < x.count; ++column) {
            wall.displays.push_back(
                {.name = fmt::format("{}-{}", row + 1, column + 1),
                 .rectangle = frameRect(x.begin(column), y.begin(row), x.pixels, y.pixels),
                 .rotation = options.rotation,
                 .blend = {.left = x.blendBefore(column),
                           .right = x.blendAfter(column),
                           .top = y.blendBefore(row),
                           .bottom = y.blendAfter(row)}});
        }
    }
    if (options.sourceColumns > 0) {
        addSources(options, wall);
    }
    wall.conductor = options.conductor;
    if (!wall.conductor.empty() && wall.findSource(wall.conductor) == nullptr) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--conductor {}: the name of one of the sources expected", wall.conductor),
                    wall.sources.empty() ? "add --sources COLUMNSxROWS"
                                         : fmt::format("name one of them, {} to {}",
                                                       wall.sources.front().name, wall.sources.back().name));
    }
    return wall;
}

}  // namespace verbcast

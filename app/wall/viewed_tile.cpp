#include "app/wall/viewed_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/names_in.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

bool sendsOf(const WallSource& source, const WallDisplay& display) {
    return !commonPart(source.rectangle, display.rectangle).isEmpty();
}

}  // namespace

std::size_t ViewedTile::pictures() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        wall.sources, [this](const WallSource& source) { return sendsOf(source, display); }));
}

std::optional<std::size_t> ViewedTile::conductor() const {
    const auto found = std::ranges::find(wall.sources, wall.conductor, &WallSource::name);
    return found != wall.sources.end() ? std::optional(static_cast<std::size_t>(found - wall.sources.begin()))
                                       : std::nullopt;
}

void ViewedTile::leaveConductor() {
    wall.conductor.clear();
    wall.sources.resize(pictures());
    sources.resize(std::min(sources.size(), wall.sources.size()));
}

std::string ViewedTile::fitText(const PictureRegion& region, const std::string& misfit) const {
    const auto ofOneSender = [&] {
        return wall.sources.empty() ? tileFitText(wall, region) : sourceFitText(wall.sources.front(), region);
    };
    const std::string text = misfit.empty() ? ofOneSender() : misfit;
    return text.empty() ? "" : fmt::format("tile {}: {}", display.name, text);
}

ViewedTile findTile(const Wall& wall, const std::string& file, const std::string& name) {
    constexpr std::size_t kMaxListed = 24;
    if (const WallDisplay* display = wall.find(name)) {
        ViewedTile tile{.wall = {wall.width, wall.height, wall.fit, wall.gaps, {}, {}, wall.conductor},
                        .display = *display,
                        .isFirst = display == wall.displays.data()};
        std::ranges::copy_if(wall.sources, std::back_inserter(tile.wall.sources),
                             [&](const WallSource& source) { return sendsOf(source, *display); });
        const WallSource* conductor = wall.findSource(wall.conductor);
        if (conductor != nullptr && !sendsOf(*conductor, *display)) {
            tile.wall.sources.push_back(*conductor);
        }
        return tile;
    }
    std::vector<std::string> names = namesIn(wall.displays, &WallDisplay::name);
    const std::string guess = didYouMean(name, names);
    const std::size_t left = names.size() - std::min(names.size(), kMaxListed);
    names.resize(names.size() - left);
    throw Error(ErrorKind::Usage,
                fmt::format("--tile {}: no display of {} has that name", cleanText(name, 80), file),
                fmt::format("{}{}its displays are {}{}", guess, guess.empty() ? "" : "; ",
                            fmt::join(names, ", "), left > 0 ? fmt::format(" and {} more", left) : ""));
}

}  // namespace verbcast

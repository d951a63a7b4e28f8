// Options of `verbcast view` for walls and for showing together.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/commands/view/view_command_line.h"
#include "app/view/drm_choice.h"
#include "app/wall/wall_file.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

/// Returns a peer for each source of a wall: at its address in the file, or as given, in order.
std::vector<StreamPeer> ViewCommandLine::sourcesOf(const Wall& wall,
                                                   const std::vector<StreamPeer>& given) const {
    if (peerGiven()) {
        if (given.front().listen || given.size() != wall.sources.size()) {
            throw Error(
                ErrorKind::Usage,
                fmt::format("--wall {} has {}: the URL of each expected, in its order, or none, not {}",
                            wall_, counted(wall.sources.size(), "source"),
                            given.front().listen ? "--listen" : fmt::format("{}", given.size())),
                "verbcast wall check " + wall_ + " lists the sources");
        }
        return given;
    }
    std::vector<StreamPeer> peers;
    for (const WallSource& source : wall.sources) {
        if (source.url.empty()) {
            throw Error(ErrorKind::Usage, fmt::format("{} has no URL of the source {}", wall_, source.name),
                        "add \"url\" to each source in the file, or name the URL of each in its order");
        }
        peers.push_back(peerAt({parseUrl(source.url), false}));
    }
    return peers;
}

/// If the wall has sources, connects to those of the display.
void ViewCommandLine::finishTile(ViewOptions& options) const {
    if (wall_.empty() && tile_.empty()) {
        return;
    }
    if (wall_.empty() || tile_.empty()) {
        throw Error(ErrorKind::Usage,
                    wall_.empty() ? "--tile needs --wall, the file that describes the display"
                                  : "--wall needs --tile, the name of one of its displays",
                    wall_.empty() ? "add --wall FILE"
                                  : "add --tile NAME; verbcast wall check " + wall_ + " lists them");
    }
    const Wall wall = readWall(wall_);
    std::vector<ViewedTile> tiles;
    for (const std::string& name : given("--drm") ? namesOf("--tile", tile_) : std::vector{tile_}) {
        tiles.push_back(findTile(wall, wall_, name));
    }
    if (!wall.sources.empty()) {
        const std::vector<StreamPeer> peers = sourcesOf(wall, options.peers);
        for (ViewedTile& tile : tiles) {
            for (const WallSource& source : tile.wall.sources) {
                tile.sources.push_back(peers[static_cast<std::size_t>(
                    std::ranges::find(wall.sources, source.name, &WallSource::name) - wall.sources.begin())]);
            }
        }
        options.peers = {tiles.front().sources.front()};
        options.streams = 1;
    } else if (options.streams > 1 && !given("--drm")) {
        throw Error(ErrorKind::Usage, fmt::format("--tile: one stream expected, not {}", options.streams),
                    "name one URL");
    }
    if (given("--drm")) {
        options.tiles = std::move(tiles);
    } else {
        options.tile = tiles.front();
    }
}

void ViewCommandLine::finishSync(ViewOptions& options) const {
    const bool asked = frameLock_.value_or(false);
    if (asked && options.streams > 1 && !given("--drm")) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--frame-lock on: one stream expected, there are {}", options.streams),
                    "start a viewer for each; to show frames of several streams together, use --align");
    }
    const auto hasNoConductor = [](const ViewedTile& tile) {
        return tile.sources.size() > 1 && tile.wall.conductor.empty();
    };
    const bool unconducted =
        (options.tile && hasNoConductor(*options.tile)) || std::ranges::any_of(options.tiles, hasNoConductor);
    if (asked && unconducted) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--frame-lock on: this display's picture has several senders, and {} does not say "
                        "which of them says when to show",
                        wall_),
            "add \"conductor\": \"NAME\", of one of the sources, to the file");
    }
    options.sync = options.streams == 1 && !unconducted && frameLock_.value_or(!options.headless);
    if (!options.sync) {
        if (options.tile) {
            options.tile->leaveConductor();
        }
        std::ranges::for_each(options.tiles, &ViewedTile::leaveConductor);
    }
}

}  // namespace verbcast

// What `verbcast view` was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/view/layout_names.h"
#include "app/view/pane_places.h"
#include "app/view/source/viewed_stream.h"
#include "app/wall/viewed_tile.h"
#include "capture/output/container_names.h"
#include "core/stream/frame_alignment.h"
#include "render/kms/display_mode.h"

namespace verbcast {

/// `verbcast view`
struct ViewOptions : StreamOptions {
    /// One for each stream; a single one where it listens.
    std::vector<StreamPeer> peers = {StreamPeer{}};
    std::uint32_t streams = 1;  ///< taken at most: as many as peers, or where it listens, as senders
    /// Where senders call, up to so many.
    bool takesCallers() const { return streams > peers.size(); }
    bool headless = false;
    std::string output;  ///< file to write the frames to; "-": standard output; %n: the stream's number
    Container container = Container::Nut;
    Layout layout = Layout::Grid;    ///< of several streams in the window
    bool swapEyes = false;           ///< of the stereo layouts
    AlignmentOptions alignment{};    ///< of several streams
    std::vector<PanePlace> panes;    ///< of the free layout; those that are not named are put somewhere
    std::optional<ViewedTile> tile;  ///< a display of a wall: nothing but its part is received
    bool sync = true;                ///< one stream is shown when its sender says so, if it does
    bool fullscreen = false;
    bool input = false;  ///< keys and mouse go to the sender from the start
    bool kiosk = false;
    std::string screen;  ///< number or name of a monitor; kiosk: the first when empty
    bool drm = false;    ///< kiosk without a desktop
    /// Of a graphics card; none: the first with a display.
    std::vector<std::string> connectors;
    std::optional<ModeWish> mode;   ///< of their displays; else what they prefer
    std::vector<ViewedTile> tiles;  ///< one for each connector, or none
    std::string still;              ///< kiosk: picture shown without a signal; black when empty
    std::string snapshot;  ///< PNG of the last frame shown, written at the end (with --frames 1: the first)
    std::string upload = "auto";  ///< auto, direct, pbo
};

/// More are refused: each has a thread or two, and rings of memory.
inline constexpr std::uint32_t kMaxViewedStreams = 64;

/// All that are connected to or waited for.
inline const std::vector<StreamPeer>& peersOf(const ViewOptions& options) {
    return options.tile && !options.tile->sources.empty() ? options.tile->sources : options.peers;
}
/// Those that the session with one of the peers needs. A window outlives the stream; without a window, the
/// program ends with it.
ReceiverOptions receiverOptions(const ViewOptions& options, const StreamPeer& peer);
/// The stream of that peer, or of a tile's sources. `together` outlives it and may be null. Throws as
/// FrameReceiver does.
std::unique_ptr<ViewedSource> openStream(const ViewOptions& options, const StreamPeer& peer,
                                         TogetherListener* together);

}  // namespace verbcast

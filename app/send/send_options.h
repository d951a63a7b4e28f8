// What the commands that send were asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/host/pacer.h"
#include "app/wall/wall.h"
#include "core/stream/broadcast.h"
#include "core/video/change_finder.h"
#include "core/video/video_format.h"

namespace verbcast {

/// What every command that sends understands.
struct SendingOptions : StreamOptions, StreamPeer {
    Pacing pacing = Pacing::Source;
    Rational rate{0, 1};           ///< Pacing::Rate
    std::optional<Policy> policy;  ///< nothing: live sources Latest, files Lossless
    ChangesFrom changes = ChangesFrom::Auto;
    std::string name;               ///< of the stream; empty: the host's
    bool allowInput = false;        ///< viewers may steer the source
    SyncMode sync = SyncMode::Off;  ///< windows that view show together
    std::uint32_t maxViewers = 16;
    std::optional<MulticastOptions> multicast;
    std::optional<Url> preview;  ///< one viewer of this machine may watch there
    int statsDescriptor = -1;    ///< figures go there each second; -1: nowhere
    bool control = false;        ///< standard input steers the source; see PlaybackControl
};

/// Those that a sender's session needs.
SenderOptions senderOptions(const SendingOptions& options, Policy policy);

/// `verbcast send`
struct SendOptions : SendingOptions {
    std::vector<std::string> sources;  ///< at least one, a stream of each
    std::vector<std::string> names;    ///< of the streams, as viewers see them; none, or one for each
    std::optional<PixelFormat> pixelFormat;
    std::optional<std::uint32_t> width, height;
    bool loop = false;
    std::chrono::nanoseconds start{0};               ///< of a file: from there,
    std::optional<std::chrono::nanoseconds> length;  ///< and so much of it
    int decoderThreads = 0;
};

/// `verbcast render`
struct RenderOptions : SendingOptions {
    std::string scene;  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
    /// Of a wall: what its source draws of the canvas, width and height being the source's.
    std::optional<Wall> wall;
    FrameRect place{};
    /// Only that share of the scene, with depths: from 1, of how many.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> part;
    std::string eye;  ///< draw what that one sees: left, right; empty: one picture for both
};

/// How parts become one picture: see --by.
enum class MergeBy {
    Depth,  ///< of each pixel the nearest
    Order,  ///< one behind the other, the first in front, by their alpha
};

/// `verbcast compose`
struct ComposeOptions : SendingOptions {
    std::vector<StreamPeer> parts;  ///< senders; at least two
    MergeBy by = MergeBy::Depth;
    bool keepDepth = false;  ///< send the depths of the whole, too
};

/// `verbcast relay`
struct RelayOptions : SendingOptions {
    StreamPeer from;
};

}  // namespace verbcast
